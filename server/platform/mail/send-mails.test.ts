import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMailComposer } from '#server/i18n/compose-mail.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { parseMail } from '#server/testing/fakes/parse-mail.ts'
import { startFakeSmtp, type FakeSmtp } from '#server/testing/fakes/fake-smtp-server.ts'
import { maxConnections, openMailer, smtpMailer } from './mailer.ts'
import { purgeAbandonedMails, listAbandonedMails, retryMail } from './abandoned-mails.ts'
import { cancelMails, queueMail, sendMails, type MailContext } from './send-mails.ts'

const from = 'Cliffhanger <site@drama.example>'
const link = 'https://drama.example/individual#verify=a-secret'
let database: TestDatabase
let smtp: FakeSmtp
let context: MailContext
let offset = 0
let logged = ''

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

beforeEach(async () => {
  smtp = await startFakeSmtp()
  offset = 0
  const began = Date.now()
  logged = ''
  const lines = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk)
      done()
    },
  })
  context = {
    db: database.db,
    // The clock does not advance by itself, so that no mail becomes due early on a slow machine.
    clock: { now: () => new Date(began + offset) },
    log: pino(lines),
    mailer: smtpMailer(smtp.url, () => from),
    composeMail: createMailComposer('Cliffhanger'),
  }
})
afterEach(async () => {
  context.mailer.close()
  await smtp.close()
  await database.pool.query('DELETE FROM mails; DELETE FROM abandoned_mails')
})

const queue = (to = 'ada@example.com', more: { expiresAt?: Date } = {}) =>
  database.db
    .transaction()
    .execute((tx) =>
      queueMail(tx, { to, template: 'verifyEmail', values: { link }, language: 'fy', ...more }),
    )
const loadQueuedMails = () => database.db.selectFrom('mails').selectAll().execute()
const inSeconds = (seconds: number) => new Date(context.clock.now().getTime() + seconds * 1000)
/** Advances the clock by this many seconds, and sends the mails due then. */
const sendAfter = (seconds: number) => {
  offset += seconds * 1000
  return sendMails(context)
}

describe('a queued mail', () => {
  it('arrives in the requested language, as text and HTML, and is then deleted from the queue', async () => {
    await queue()
    await sendMails(context)
    const [mail] = smtp.received
    expect(mail).toMatchObject({
      to: 'ada@example.com',
      from: 'Cliffhanger <site@drama.example>',
      subject: 'Confirmez votre adresse e-mail',
      link,
    })
    expect(mail?.html).toContain('<html lang="fr">')
    expect(mail?.html).toContain(`href="${link}"`)
    expect(await loadQueuedMails()).toEqual([])
  })

  it('is not sent if its transaction does not commit', async () => {
    const failing = database.db.transaction().execute(async (tx) => {
      await queueMail(tx, {
        to: 'ada@example.com',
        template: 'verifyEmail',
        values: { link },
        language: 'en',
      })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    await sendMails(context)
    expect(smtp.stageCounts.connect).toBe(0)
  })

  it('is sent to at most one address, even if its recipient could be parsed as two', async () => {
    await queue('ada@example.com, bob')
    await sendMails(context)
    expect(smtp.stageCounts.recipient).toBeLessThanOrEqual(1)
    expect(smtp.received.map(({ to }) => to)).not.toContain('ada@example.com')
  })

  it('is sent once by ten concurrent processes', async () => {
    await Promise.all(Array.from({ length: 7 }, (_, index) => queue(`${index}@example.com`)))
    await Promise.all(Array.from({ length: 10 }, () => sendMails(context)))
    expect(smtp.received.map(({ to }) => to).toSorted()).toEqual(
      Array.from({ length: 7 }, (_, index) => `${index}@example.com`),
    )
  })
})

describe('many queued mails', () => {
  it('share a limited number of connections', async () => {
    for (let index = 0; index < 5 * maxConnections; index++) await queue(`${index}@example.com`)
    await sendMails(context)
    expect(smtp.received).toHaveLength(5 * maxConnections)
    expect(smtp.stageCounts.connect).toBeLessThanOrEqual(maxConnections)
  })

  it('are sent after the server has closed the connections of earlier mails', async () => {
    const { port } = smtp
    await queue()
    await sendMails(context)
    await smtp.close()
    smtp = await startFakeSmtp(port)
    for (let index = 0; index < 2 * maxConnections; index++) await queue(`${index}@example.com`)
    await sendMails(context)
    expect(smtp.received).toHaveLength(2 * maxConnections)
    expect(await loadQueuedMails()).toEqual([])
  })

  it('do not wait for a mail to which the server responds slowly', async () => {
    const others = Array.from({ length: 3 * maxConnections }, (_, index) => `${index}@example.com`)
    await queue('slow@example.com')
    for (const other of others) await queue(other)
    const sent: string[] = []
    const haveOthersLeft = Promise.withResolvers<void>()
    const send = async ({ to }: { to: string }) => {
      if (to === 'slow@example.com') return haveOthersLeft.promise
      if (sent.push(to) === others.length) haveOthersLeft.resolve()
    }
    await sendMails({ ...context, mailer: { ...context.mailer, send } })
    expect(sent.toSorted()).toEqual(others.toSorted())
    expect(await loadQueuedMails()).toEqual([])
  })

  it('are sent while a mail that was queued before them is being sent', async () => {
    await queue('slow@example.com')
    const hasOtherLeft = Promise.withResolvers<void>()
    const send = async ({ to }: { to: string }) => {
      if (to !== 'slow@example.com') return hasOtherLeft.resolve()
      await queue('other@example.com')
      return hasOtherLeft.promise
    }
    await sendMails({ ...context, mailer: { ...context.mailer, send } })
    expect(await loadQueuedMails()).toEqual([])
  })

  it('are all sent even if the database fails to delete them, and the error is thrown', async () => {
    await queue()
    await queue('bob@example.com')
    const failing = context.db.withPlugin({
      transformQuery({ node }) {
        if (node.kind === 'DeleteQueryNode') throw new Error('the database is away')
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await expect(sendMails({ ...context, db: failing })).rejects.toThrow('the database is away')
    expect(smtp.received).toHaveLength(2)
  })
})

describe('a mail that the server does not accept', () => {
  it('is sent after the server has recovered', async () => {
    const { port } = smtp
    await smtp.close()
    await queue()
    await sendMails(context)
    expect(await loadQueuedMails()).toMatchObject([{ attempts: 1 }])
    smtp = await startFakeSmtp(port)
    await sendAfter(9)
    expect(smtp.received).toEqual([])
    await sendAfter(2)
    expect(smtp.received).toHaveLength(1)
    expect(await loadQueuedMails()).toEqual([])
  })

  it.each(['connect', 'sender', 'recipient', 'data'] as const)(
    'is retried after a 4xx (%s) with growing delays for a day; then the mail is abandoned',
    async (stage) => {
      smtp.answer = (at) => (at === stage ? 451 : 'taken')
      await queue()
      await sendMails(context)
      let tries = 1
      for (const wait of [10, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200]) {
        await sendAfter(wait - 1)
        expect(smtp.stageCounts[stage]).toBe(tries)
        await sendAfter(1)
        expect(smtp.stageCounts[stage]).toBe(++tries)
      }
      expect(await loadQueuedMails()).toEqual([])
      expect(smtp.received).toEqual([])
      expect(logged).toContain('was abandoned')
    },
  )

  it.each(['recipient', 'data'] as const)('is not retried after a 5xx about the mail (%s)', async (stage) => {
    smtp.answer = (at) => (at === stage ? 550 : 'taken')
    await queue()
    await queue('bob@example.com')
    await sendMails(context)
    expect(await loadQueuedMails()).toEqual([])
    expect(smtp.stageCounts[stage]).toBe(2)
  })

  it.each(['connect', 'sender'] as const)(
    'is retried after a 5xx about the configuration (%s), which the operator can fix',
    async (stage) => {
      smtp.answer = (at) => (at === stage ? 554 : 'taken')
      await queue()
      await sendMails(context)
      smtp.answer = () => 'taken'
      await sendAfter(11)
      expect(smtp.received).toHaveLength(1)
    },
  )

  it.each(['connect', 'recipient', 'data'] as const)(
    'is retried after the time-out of a server that does not respond (%s)',
    async (stage) => {
      smtp.answer = (at) => (at === stage ? 'silence' : 'taken')
      await queue()
      await sendMails({ ...context, mailer: smtpMailer(smtp.url, () => from, 500) })
      expect(await loadQueuedMails()).toMatchObject([{ attempts: 1 }])
      smtp.answer = () => 'taken'
      await sendAfter(11)
      expect(smtp.received).toHaveLength(1)
    },
  )

  it('does not block other mails', async () => {
    smtp.answer = (stage, about) => (stage === 'recipient' && about.startsWith('bad') ? 451 : 'taken')
    for (let index = 0; index < 7; index++) await queue(`bad${index}@example.com`)
    await queue('good@example.com')
    await sendMails(context)
    expect(smtp.received.map(({ to }) => to)).toEqual(['good@example.com'])
  })

  it('is sent with the same Message-ID if it is requeued after it was abandoned', async () => {
    smtp.answer = (stage) => (stage === 'recipient' ? 550 : 'taken')
    await queue()
    await queue('bob@example.com')
    await sendMails(context)
    const list = async () =>
      (await listAbandonedMails(database.db, context.clock, { size: 10 })).page.toSorted((one, other) =>
        one.recipient.localeCompare(other.recipient),
      )
    const [ada, bob] = await list()
    expect([ada, bob]).toMatchObject([
      {
        recipient: 'ada@example.com',
        refused: true,
        attempts: 1,
        reason: expect.stringMatching(/RCPT TO 550$/),
      },
      { recipient: 'bob@example.com' },
    ])
    const retry = () => database.db.transaction().execute((tx) => retryMail(tx, ada?.id ?? '', context.clock))
    expect(await retry()).toEqual({ template: 'verifyEmail' })
    expect(await retry()).toBeUndefined()
    smtp.answer = () => 'taken'
    await sendMails(context)
    expect(smtp.received.map(({ to, messageId }) => [to, messageId])).toEqual([
      ['ada@example.com', `<${ada?.id}@drama.example>`],
    ])
    expect(await list()).toMatchObject([{ recipient: 'bob@example.com' }])
    await database.db.transaction().execute((tx) => cancelMails(tx, 'bob@example.com'))
    expect(await list()).toEqual([])
  })

  it('is not requeued once its link has expired, and is deleted a week after it was abandoned', async () => {
    smtp.answer = (stage) => (stage === 'recipient' ? 550 : 'taken')
    await queue('ada@example.com', { expiresAt: inSeconds(5) })
    await queue('bob@example.com')
    await sendMails(context)
    const list = async () => (await listAbandonedMails(database.db, context.clock, { size: 10 })).page
    const dead = (await list()).find(({ recipient }) => recipient === 'ada@example.com')
    offset += 6000
    expect((await list()).map(({ recipient }) => recipient)).toEqual(['bob@example.com'])
    const retry = database.db.transaction().execute((tx) => retryMail(tx, dead?.id ?? '', context.clock))
    expect(await retry).toBeUndefined()
    const loadRecipients = async () => {
      await purgeAbandonedMails(context)
      const rows = await database.db.selectFrom('abandoned_mails').select('recipient').execute()
      return rows.map(({ recipient }) => recipient)
    }
    expect(await loadRecipients()).toEqual(['bob@example.com'])
    offset += 7 * 86_400_000
    expect(await loadRecipients()).toEqual([])
  })

  it('is logged without its address, its secret and the server’s text', async () => {
    smtp.answer = (stage) => (stage === 'recipient' ? 550 : 'taken')
    await queue()
    await sendMails(context)
    expect(logged).toContain('550')
    expect(logged).not.toMatch(/ada@|example\.com|a-secret/)
  })

  it('is not sent once its link has expired', async () => {
    smtp.answer = () => 451
    await queue('ada@example.com', { expiresAt: inSeconds(5) })
    await sendMails(context)
    smtp.answer = () => 'taken'
    await sendAfter(11)
    expect(smtp.received).toEqual([])
    expect(await loadQueuedMails()).toEqual([])
  })
})

describe('without SMTP_URL', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-mail-'))
  afterAll(() => rmSync(dataDir, { recursive: true }))

  it.each([
    ['http://localhost:3000', true],
    ['https://drama.example', false],
  ])(
    'at %s, a mail is written to a file that only the operating-system user of the site can read, and the log names the file (and the link: %s)',
    async (at, isLogged) => {
      const config = loadConfig({ DATA_DIR: dataDir, PUBLIC_URL: at })
      await queue()
      await sendMails({ ...context, mailer: openMailer(config, context.log) })
      const folder = join(dataDir, 'mails')
      const [name = ''] = readdirSync(folder).filter((each) => logged.includes(each))
      expect(name).toMatch(/\.eml$/)
      expect(parseMail(readFileSync(join(folder, name), 'utf8'))).toMatchObject({
        to: 'ada@example.com',
        link,
      })
      expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([
        0o700, 0o600,
      ])
      expect(logged.includes(link)).toBe(isLogged)
      expect(await loadQueuedMails()).toEqual([])
    },
  )
})
