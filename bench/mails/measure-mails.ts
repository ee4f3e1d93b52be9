import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { createMailComposer } from '#server/i18n/compose-mail.ts'
import { systemClock } from '#server/platform/clock.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { maxConnections, smtpMailer } from '#server/platform/mail/mailer.ts'
import { queueMail, sendMails } from '#server/platform/mail/send-mails.ts'
import type { Tables } from '#server/tables.ts'
import { printTable, type Row } from '#bench/result-table.ts'

const log = createLog({ json: false, level: 'warn' })
const mailCount = 2000
/** Minimum number of mails a second. */
const target = 50
/** Milliseconds after which the server responds to each command, like a server in another data centre. */
const responseMs = 20

/**
 * `npm run bench -- mails`: sends 2,000 queued mails to an SMTP server that responds to each command after 20 ms, and
 * counts its connections.
 */
export async function measureMails(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-mails-'))
  const { db, close } = await openDatabase<Tables>({ dataDir, databaseUrl: undefined, migrate: true }, log)
  const server = await startSlowServer()
  const mailer = smtpMailer(server.url, () => 'The bench <bench@drama.example>')
  const mail = {
    template: 'verifyEmail',
    values: { link: 'https://drama.example/individual#verify=a-secret' },
    language: 'en',
  } as const
  try {
    await db.transaction().execute(async (tx) => {
      for (let number = 0; number < mailCount; number++)
        await queueMail(tx, { ...mail, to: `${number}@example.com` })
    })
    const started = performance.now()
    await sendMails({ db, clock: systemClock, log, mailer, composeMail: createMailComposer('The bench') })
    const perSecond = (1000 * server.counts.mails) / (performance.now() - started)
    printTable(makeRows(perSecond, server.counts))
    if (server.counts.mails !== mailCount) throw new Error(`Only ${server.counts.mails} mails arrived`)
  } finally {
    mailer.close()
    await server.close()
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function makeRows(perSecond: number, { atOnce, connections }: ServerCounts): Row[] {
  const none = { bare: '–', ratio: '–' }
  return [
    {
      ...none,
      what: 'mails a second',
      ours: perSecond.toFixed(0),
      target: `≥ ${target}`,
      ok: perSecond >= target,
    },
    {
      ...none,
      what: 'connections at once',
      ours: String(atOnce),
      target: `≤ ${maxConnections}`,
      ok: atOnce <= maxConnections,
    },
    { ...none, what: `connections for ${mailCount} mails`, ours: String(connections), target: '–', ok: true },
  ]
}

interface ServerCounts {
  mails: number
  connections: number
  atOnce: number
}

/** Starts an SMTP server that responds late and counts what it gets. */
async function startSlowServer(): Promise<{ url: string; counts: ServerCounts; close(): Promise<void> }> {
  const counts: ServerCounts = { mails: 0, connections: 0, atOnce: 0 }
  let open = 0
  const respond = (done: () => void) => void delay(responseMs).then(done)
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 10,
    onConnect(_session, done) {
      counts.connections++
      counts.atOnce = Math.max(counts.atOnce, ++open)
      respond(done)
    },
    onClose: () => void open--,
    onMailFrom: (_address, _session, done) => respond(done),
    onRcptTo: (_address, _session, done) => respond(done),
    onData(stream, _session, done) {
      stream.resume()
      stream.on('end', () => {
        counts.mails++
        respond(done)
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  // The cast is safe: the server listens on a TCP port.
  const { port } = listening.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    counts,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
