// A process that sends queued mails. It kills itself with SIGKILL before its statement number `at` (`before`), or
// directly after sending this statement (`sent`).
import { Kysely, PostgresDialect } from 'kysely'
import { createMailComposer } from '#server/i18n/compose-mail.ts'
import { systemClock } from '#server/platform/clock.ts'
import { createLog } from '#server/platform/log.ts'
import { smtpMailer } from '#server/platform/mail/mailer.ts'
import { sendMails } from '#server/platform/mail/send-mails.ts'
import type { Tables } from '#server/tables.ts'
import { openCrashingPool, type CrashPoint } from './crashing-pool.ts'

const [url = '', smtpUrl = '', when = 'never', at = '0'] = process.argv.slice(2)
// The cast is safe: the tests pass only valid values.
const crashPoint = { when, at: Number(at) } as CrashPoint
const crashing = openCrashingPool({ connectionString: url }, crashPoint, () =>
  process.kill(process.pid, 'SIGKILL'),
)
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: crashing.pool }) })
const mailer = smtpMailer(smtpUrl, () => 'Cliffhanger <site@drama.example>')
await sendMails({
  db,
  clock: systemClock,
  log: createLog({ json: true, level: 'silent' }),
  mailer,
  composeMail: createMailComposer('Cliffhanger'),
})
mailer.close()
await db.destroy()
process.stdout.write(String(crashing.statements.length))
