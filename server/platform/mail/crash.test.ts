import type { ChildProcess } from 'node:child_process'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMailComposer } from '#server/i18n/compose-mail.ts'
import { createLog } from '#server/platform/log.ts'
import { runScript } from '#server/testing/crash/run-script.ts'
import { startFakeSmtp, type Stage, type FakeSmtp } from '#server/testing/fakes/fake-smtp-server.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { smtpMailer } from './mailer.ts'
import { queueMail, sendMails } from './send-mails.ts'

let database: TestDatabase
let smtp: FakeSmtp

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  smtp = await startFakeSmtp()
  const mail = {
    to: 'ada@example.com',
    template: 'verifyEmail',
    values: { link: 'https://drama.example/' },
    language: 'en',
  } as const
  await database.db.transaction().execute((tx) => queueMail(tx, mail))
})
afterEach(() => smtp.close())

const loadQueuedMails = () => database.db.selectFrom('mails').select('id').execute()
/** Sends the queued mails as another process would, `afterMs` from now. */
const sendMailsAfter = (afterMs: number) =>
  sendMails({
    db: database.db,
    clock: { now: () => new Date(Date.now() + afterMs) },
    log: createLog({ json: true, level: 'silent' }),
    mailer: smtpMailer(smtp.url, () => 'Cliffhanger <site@drama.example>'),
    composeMail: createMailComposer('Cliffhanger'),
  })

test.each(['connect', 'sender', 'recipient'] as const)(
  'if a process is killed while it talks to the server (%s), another process sends the mail after the claim has expired',
  async (stage: Stage) => {
    let child: ChildProcess | undefined
    smtp.answer = (at) => {
      if (at === stage) child?.kill('SIGKILL')
      return at === stage ? 'silence' : 'taken'
    }
    const { signal } = await runScript('send-and-crash.ts', [database.url, smtp.url], (started) => {
      child = started
    })
    expect(signal).toBe('SIGKILL')
    smtp.answer = () => 'taken'
    await sendMailsAfter(60_000)
    expect(smtp.received).toEqual([])
    await sendMailsAfter(121_000)
    expect(smtp.received).toHaveLength(1)
    expect(await loadQueuedMails()).toEqual([])
  },
)

test.each([
  ['before it claims the mail', 'before', '1', 1],
  // The mail is sent twice, because only the dead process knew that the server had accepted it. The receiver can detect
  // the duplicate by its Message-ID.
  ['after the server accepts the mail and before the queue deletes it', 'before', '2', 2],
])(
  'after a process is killed %s, the mail is sent, always with the same Message-ID',
  async (_, when, at, times) => {
    const { signal } = await runScript('send-and-crash.ts', [database.url, smtp.url, when, at])
    expect(signal).toBe('SIGKILL')
    await sendMailsAfter(121_000)
    expect(smtp.received).toHaveLength(times)
    expect(new Set(smtp.received.map(({ messageId }) => messageId)).size).toBe(1)
    expect(await loadQueuedMails()).toEqual([])
  },
)

test('a process whose claim has expired does not end the attempt of another process', async () => {
  const sending = Promise.withResolvers<(reason: Error) => void>()
  const first = sendMails({
    db: database.db,
    clock: { now: () => new Date() },
    log: createLog({ json: true, level: 'silent' }),
    mailer: {
      send: () => new Promise((_, reject) => sending.resolve(reject)),
      check: async () => {},
      close: () => {},
    },
    composeMail: createMailComposer('Cliffhanger'),
  })
  const fail = await sending.promise
  await database.db.updateTable('mails').set({ attempts: 2 }).execute()
  const claim = () => database.db.selectFrom('mails').select('next_attempt_at').executeTakeFirst()
  const before = await claim()
  fail(new Error('late'))
  await first
  expect(await claim()).toEqual(before)
  await database.db.deleteFrom('mails').execute()
})
