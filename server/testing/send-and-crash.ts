// A process that sends the mails that wait and ends by SIGKILL `before` its n-th statement, or just after sending it (`sent`).
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { composerFor } from '#server/i18n/compose-mail.ts'
import { systemClock } from '#server/platform/clock.ts'
import { columnTypes } from '#server/platform/database/column-types.ts'
import { createLog } from '#server/platform/log.ts'
import { smtpMailer } from '#server/platform/mail/mailer.ts'
import { sendMails } from '#server/platform/mail/send-mails.ts'
import type { Tables } from '#server/tables.ts'

const [url = '', smtpUrl = '', when = 'never', at = '0'] = process.argv.slice(2)
const die = () => process.kill(process.pid, 'SIGKILL')
let statements = 0

const pool = new pg.Pool({ connectionString: url, types: columnTypes })
pool.on('connect', (client) => {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const counted = (...given: unknown[]) => {
    const due = ++statements === Number(at)
    if (due && when === 'before') die()
    const result = query(...given)
    if (due && when === 'sent') process.nextTick(die)
    return result
  }
  // The overloads of `query` are all passed on as they come.
  client.query = counted as typeof client.query
})
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
await sendMails({
  db,
  clock: systemClock,
  log: createLog({ json: true, level: 'silent' }),
  mailer: smtpMailer(smtpUrl, () => 'Cliffhanger <site@drama.example>'),
  composeMail: composerFor('Cliffhanger'),
})
await db.destroy()
process.stdout.write(String(statements))
