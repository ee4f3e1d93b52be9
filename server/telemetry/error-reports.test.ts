import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig, type Config } from '#server/platform/config/config.ts'
import { createLog, type Log } from '#server/platform/log.ts'
import { openPostSink, type PostSink, type Reply } from '#server/testing/fakes/post-sink.ts'
import { createReportThrottle, openErrorReporter, type ErrorReporter } from './report-errors.ts'
import { createReportScrubber } from './scrub-server-report.ts'

const appSecret = 'a secret of thirty-two characters'
const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-reports-'))
/** Longest wait for the reports to be sent. */
const flushMs = 60_000
let sink: PostSink
let answer: Reply
let config: Config
let dsn: string

beforeAll(async () => {
  sink = await openPostSink((text) => text)
  sink.reply = () => answer
  dsn = `${sink.url.replace('//', '//public@')}/7`
  config = loadConfig({
    DATA_DIR: dataDir,
    APP_SECRET: appSecret,
    DATABASE_URL: 'postgres://site:database-password@db/site',
    SMTP_URL: 'smtp://site:mail%40password@smtp.example:587',
    SENTRY_DSN: dsn,
    PUBLIC_URL: 'https://try.sandbox.example',
    SANDBOX_HOST_SUFFIX: '.sandbox.',
  })
})
beforeEach(() => {
  sink.posts.length = 0
  answer = { status: 200, body: {} }
})
afterAll(async () => {
  await sink.close()
  rmSync(dataDir, { recursive: true })
})

/** Opens the error reporter of one process, and its log. */
function openProcess(): { errors: ErrorReporter; log: Log; lines: string[] } {
  const errors = openErrorReporter(config, dsn, 'web')
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ json: true, level: 'info', onError: errors.report, destination })
  return { errors, log, lines }
}

const envelopes = () => sink.posts.map(({ body }) => String(body))
/** Parses the event of each envelope, which is the third line. */
const events = () => envelopes().map((envelope) => JSON.parse(envelope.split('\n')[2] ?? '') as unknown)

test('reports a logged error with its cause, stack and fields', async () => {
  const { errors } = openProcess()
  const err = new Error('the call failed', { cause: new Error('the database is away') })
  errors.report({ err, message: 'a call failed', fields: { request_id: 'req-1', path: '/api/video' } })
  await errors.flush(flushMs)
  expect(events()).toMatchObject([
    {
      environment: 'sandbox',
      level: 'error',
      tags: { role: 'web' },
      extra: { log: 'a call failed', request_id: 'req-1', path: '/api/video' },
      exception: { values: [{ value: 'the database is away' }, { value: 'the call failed' }] },
    },
  ])
  expect(JSON.stringify(events())).toContain('error-reports.test.ts')
  expect(events()[0]).not.toHaveProperty('server_name')
})

test('no secret, token, query or address leaves the process', async () => {
  const { errors } = openProcess()
  const err = new Error(
    `ada@example.com at 203.0.113.9 and 2001:db8::7 got ${appSecret} from postgres://site:database-password@db/site ` +
      'smtp://u:other-password@host with mail@password, Bearer abc.def, sk_live_51abc, whsec_1, eyJhbGciOi.eyJzdWIi.c2ln, id-eyJ0.c2, ' +
      '-postgres://site:further-password@db ' +
      'https://site.test/media/99.usr_1.mac/asset/seg_1.m4s?fbclid=click-of-ann at 12:30:45',
  )
  errors.report({
    err,
    message: 'a call failed',
    fields: { to: 'bob@example.com', deep: { ip: '198.51.100.1' } },
  })
  await errors.flush(flushMs)
  const sent = envelopes().join()
  expect(sent).toContain('https://site.test/media/-/asset/seg_1.m4s at 12:30:45')
  expect(sent).not.toMatch(
    /ada@|bob@|203\.0\.113|2001:db8|198\.51|thirty-two|database-password|other-password|further-password|mail@password|abc\.def|sk_live|whsec|eyJ|usr_1|click-of-ann/,
  )
})

test.each(['a', 'a.', 'a-', 'eyJ-', '/', 'a:', 'a@', '1:', '?/', ' /'])(
  'scrubs 100,000 characters that repeat %j within ten seconds',
  async (text) => {
    const { errors } = openProcess()
    const began = performance.now()
    errors.report({
      err: new Error(text.repeat(Math.floor(100_000 / text.length))),
      message: 'a call failed',
      fields: {},
    })
    await errors.flush(flushMs)
    // A quadratic algorithm takes half a minute or more.
    expect(performance.now() - began).toBeLessThan(10_000)
  },
)

test('reports a log line of level error by its message if the line has no error object', async () => {
  const { errors, log, lines } = openProcess()
  log.error({ reference: 'pi_1' }, 'a payment was abandoned')
  log.warn('this is no error')
  await errors.flush(flushMs)
  expect(lines).toHaveLength(2)
  expect(events()).toMatchObject([{ message: 'a payment was abandoned', extra: { reference: 'pi_1' } }])
})

test('reports the same error once a minute, and at most 30 errors a minute', () => {
  const isWorthSending = createReportThrottle()
  const sent = (texts: string[], now: number) => texts.filter((text) => isWorthSending(text, now)).length
  expect(sent(['away', 'away', 'away'], 0)).toBe(1)
  const many = Array.from({ length: 100 }, (_, index) => `error ${index}`)
  expect(sent(many, 59_999)).toBe(29)
  expect(sent(['away', 'away'], 60_000)).toBe(1)
})

test('does not retry a refused report', async () => {
  answer = { status: 500, body: {} }
  const { errors } = openProcess()
  errors.report({ err: new Error('one'), message: '', fields: {} })
  await errors.flush(flushMs)
  errors.report({ err: new Error('two'), message: '', fields: {} })
  await errors.flush(flushMs)
  expect(envelopes()).toHaveLength(2)
})

test('sends no further report during the Retry-After of the server', async () => {
  answer = { status: 429, body: {}, headers: { 'retry-after': '60' } }
  const { errors } = openProcess()
  errors.report({ err: new Error('one'), message: '', fields: {} })
  await errors.flush(flushMs)
  errors.report({ err: new Error('two'), message: '', fields: {} })
  await errors.flush(flushMs)
  expect(envelopes()).toHaveLength(1)
})

test('sends at most eight reports to a server that does not respond, and soon stops waiting for it', async () => {
  answer = 'nothing'
  const { errors } = openProcess()
  for (let index = 0; index < 20; index++)
    errors.report({ err: new Error(`error ${index}`), message: '', fields: {} })
  // On a busy machine, the reports may arrive later than `flush` stops waiting.
  await expect.poll(() => envelopes().length).toBe(8)
  const began = Date.now()
  await errors.flush(300)
  expect(Date.now() - began).toBeLessThan(4000)
  expect(envelopes()).toHaveLength(8)
})

test('leaves bytes, numbers and null in a report unchanged', () => {
  const report = { bytes: new Uint8Array([64]), nothing: null, number: 7 }
  createReportScrubber(['secret'])(report)
  expect(report).toEqual({ bytes: new Uint8Array([64]), nothing: null, number: 7 })
})
