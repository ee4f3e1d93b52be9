import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OAuth2Server } from 'oauth2-mock-server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '#server/testing/site/free-port.ts'
import { openPostSink, type PostSink } from '#server/testing/fakes/post-sink.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'

const timeoutMs = 240_000
const timeout = { timeout: 2 * timeoutMs }
const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-traces-'))
const issuer = new OAuth2Server()
let database: TestDatabase
let collector: PostSink

beforeAll(async () => {
  ;[database, collector] = await Promise.all([createTestDatabase(), openPostSink()])
  await issuer.issuer.keys.generate('RS256')
  await issuer.start(0, '127.0.0.1')
})
afterAll(async () => {
  await Promise.all([issuer.stop(), collector.close()])
  await database.close()
  rmSync(dataDir, { recursive: true })
})

/**
 * Runs a site until `use` has finished. @returns the output of the site, with a line for each OpenTelemetry module that
 * it loaded
 */
async function withSite(settings: Record<string, string>, use: (url: string) => Promise<void>) {
  const port = await freePort()
  const listed = `
    import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (url.includes('@opentelemetry')) process.stdout.write('loaded ' + url + '\\n')
      return next(url, context)
    } })`
  const child = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(listed)}`,
      join(import.meta.dirname, '..', 'main.ts'),
    ],
    {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        APP_SECRET: 'a secret of thirty-two characters',
        LOG_LEVEL: 'warn',
        ROLE: 'web',
        PORT: String(port),
        OIDC_ISSUER: issuer.issuer.url ?? '',
        OIDC_CLIENT_ID: 'site',
        OIDC_CLIENT_SECRET: 'oidc-secret',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text))
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await waitUntil('the site is ready', () => isReachable(`${url}/api/ready`), timeoutMs)
  await use(url)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  return printed.join('')
}

/** The numbers of span kinds in OTLP. */
const spanKinds = { server: 2, client: 3 }

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: unknown }[]
}

/** The JSON body of a request to an OTLP collector. */
interface Traces {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
}

const received = (): Span[] =>
  collector.posts.flatMap(({ body }) =>
    (body as Traces).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )

const locationOf = (response: Response) => response.headers.get('location') ?? ''

/** Signs in at the issuer as a browser does. */
async function signIn(url: string): Promise<void> {
  const start = await fetch(`${url}/api/user/social/oidc?fbclid=click-of-ann`, {
    headers: { 'sec-fetch-site': 'same-origin', traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` },
    redirect: 'manual',
  })
  const cookie = start.headers.getSetCookie().map((each) => each.split(';')[0])
  const back = new URL(locationOf(await fetch(locationOf(start), { redirect: 'manual' })))
  const end = await fetch(`${url}${back.pathname}${back.search}`, {
    headers: { 'sec-fetch-site': 'cross-site', cookie: cookie.join('; '), 'user-agent': 'a browser' },
    redirect: 'manual',
  })
  expect(locationOf(end)).toBe('/')
}

let traced: Promise<string> | undefined
/** Runs a site with tracing, once for all tests. @returns the spans that it sent */
async function traceRequests(): Promise<Span[]> {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of-the-collector',
  }
  traced ??= withSite(settings, async (url) => {
    await signIn(url)
    await fetch(`${url}/media/99.usr_1.mac/asset/seg_1.m4s?pass=query-of-ann`)
  })
  // After a failure, a repeated test runs the site again.
  traced.catch(() => (traced = undefined))
  await traced
  return received()
}

test('a request is traced with its queries and outgoing calls', timeout, async () => {
  const spans = await traceRequests()
  expect(collector.posts[0]).toMatchObject({ path: '/v1/traces', headers: { 'api-key': 'of-the-collector' } })
  const callback = spans.find(({ name }) => name === 'GET /api/user/social/oidc/callback')
  expect(callback).toMatchObject({ kind: spanKinds.server })
  // A client cannot choose the trace id of a request by its `traceparent` header.
  expect(spans.filter(({ traceId }) => traceId === '1'.repeat(32))).toEqual([])
  const inside = spans.filter(
    ({ traceId, kind }) => traceId === callback?.traceId && kind === spanKinds.client,
  )
  const seen = JSON.stringify(inside)
  expect(seen).toContain(`${issuer.issuer.url}/token`)
  expect(seen).toMatch(/insert into \\"users\\"/)
  expect(inside.map(({ parentSpanId }) => parentSpanId)).toContain(callback?.spanId)
  expect(spans.map(({ name }) => name)).not.toContain('GET /api/ready')
})

test(
  'a span does not identify the visitor, and contains no query, media signature or secret',
  timeout,
  async () => {
    const spans = await traceRequests()
    const requests = spans.filter(({ kind }) => kind === spanKinds.server)
    expect(requests.length).toBeGreaterThan(2)
    expect(JSON.stringify(spans)).not.toMatch(/click-of-ann|query-of-ann|usr_1|code=|oidc-secret|a browser/)
    const keys = requests.flatMap(({ attributes }) => attributes.map(({ key }) => key))
    expect(keys.filter((key) => /^(client|network\.peer|user_agent)\.|query/.test(key))).toEqual([])
  },
)

test(
  'without OTEL_ variables, the site does not load OpenTelemetry and sends no traces',
  timeout,
  async () => {
    const before = collector.posts.length
    const printed = await withSite({}, signIn)
    expect(printed).not.toContain('@opentelemetry')
    expect(collector.posts).toHaveLength(before)
  },
)
