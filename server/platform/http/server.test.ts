import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { languages } from '#contract/languages.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { queryHomepage } from '#contract/catalog.ts'
import { changeUser, getUser } from '#contract/members.ts'
import type { PlainRoute } from './route.ts'
import { createHttpServer, type HttpServerOptions } from './server.ts'
import { createLog } from '#server/platform/log.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { listApiRoutes } from '#server/testing/site/list-api-routes.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

it('answers an unknown call with HTTP 404 in the envelope', async () => {
  const response = await site.visitor().fetch('/api/nothing')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 404, message: expect.any(String) })
})

it("answers a value of the wrong type with HTTP 400 and a message in the viewer's language", async () => {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const response = await visitor.fetch('/api/user', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': 'de' },
    body: JSON.stringify({ display_name: 5 }),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    code: 400,
    message: 'Wir konnten diese Anfrage nicht lesen.',
  })
})

it('refuses NUL in a query and in a body', async () => {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  const inBody = await visitor.call(changeUser, { body: { display_name: 'a\0b' } })
  expect(inBody.status).toBe(400)
  expect((await visitor.fetch('/api/homepage/query?keyword=a%00b')).status).toBe(400)
  expect((await visitor.fetch('/videos/a%00b')).status).toBe(404)
})

/** Creates a server that has only the given routes, and does not listen yet. */
function bareServer(overrides: Partial<HttpServerOptions>) {
  return createHttpServer({
    ...site.context,
    publicUrl: site.url,
    trustProxy: 0,
    routes: [],
    plainRoutes: [],
    identify: () => null,
    offeredLanguages: () => languages,
    storedLanguage: () => Promise.resolve(null),
    shareCalls: () => Promise.resolve([]),
    ...overrides,
  })
}

it('keeps the request id of the proxy in front, or generates one', async () => {
  const app = await bareServer({})
  const idFor = async (requestId?: string) =>
    (
      await app.inject({
        url: '/api/nothing',
        headers: requestId === undefined ? {} : { 'x-request-id': requestId },
      })
    ).headers['x-request-id']
  expect(await idFor('edge-42')).toBe('edge-42')
  const generated = await idFor()
  expect(generated).toMatch(/^[0-9a-f]{32}$/)
  expect(await idFor()).not.toBe(generated)
  expect(await idFor('a"b')).toMatch(/^[0-9a-f]{32}$/)
  expect(await idFor('a'.repeat(65))).toMatch(/^[0-9a-f]{32}$/)
})

it('logs each call by its route, without the query', async () => {
  const lines: object[] = []
  const log = pino(
    { level: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line) as object) },
  )
  const plainRoutes: PlainRoute[] = [
    { method: 'GET', path: '/pages/:id', handle: (_request, reply) => reply.send('here') },
  ]
  const app = await bareServer({ log, logCalls: true, plainRoutes })
  await app.inject({ url: '/pages/7?token=a-secret', headers: { 'x-request-id': 'edge-42' } })
  expect(lines).toMatchObject([
    { msg: 'call', request_id: 'edge-42', method: 'GET', route: '/pages/:id', status: 200 },
  ])
  expect(JSON.stringify(lines)).not.toContain('a-secret')
  await (await bareServer({ log, plainRoutes })).inject('/pages/7')
  expect(lines).toHaveLength(1)
})

it('adds the request id to the log lines of each request, and to no other line', async () => {
  const lines: { msg: string; id?: string; request_id?: string }[] = []
  const log = createLog({ json: true, destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  const plainRoutes = (['GET', 'POST'] as const).map((method): PlainRoute => ({
    method,
    path: '/work',
    async handle(request, reply) {
      await nextTurn()
      log.warn({ id: request.id }, 'a line of a request')
      return reply.send('done')
    },
  }))
  const app = await bareServer({ log, plainRoutes })
  await Promise.all([
    app.inject({ url: '/work', headers: { 'x-request-id': 'edge-42' } }),
    app.inject('/work'),
  ])
  expect(await postInTwoParts(await app.listen({ port: 0, host: '127.0.0.1' }))).toMatch(/done$/)
  log.warn('another line')
  await app.close()
  expect(lines.map(({ msg, id }) => [msg, id])).toEqual([
    ['a line of a request', 'edge-42'],
    ['a line of a request', expect.any(String)],
    ['a line of a request', expect.any(String)],
    ['another line', undefined],
  ])
  expect(lines.map(({ request_id }) => request_id)).toEqual(lines.map(({ id }) => id))
})

/** Posts a form whose body arrives later than its headers. @returns the response */
async function postInTwoParts(url: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const head = [
    'POST /work HTTP/1.1',
    'Host: localhost',
    'Connection: close',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 3',
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await once(socket, 'data')
  socket.write('a=b')
  return text(socket)
}

it('sends HSTS if the site uses https, and only then', async () => {
  const headersAt = async (publicUrl: string) =>
    (await (await bareServer({ publicUrl })).inject('/api/nothing')).headers
  expect(await headersAt('https://example.com')).toHaveProperty(
    'strict-transport-security',
    'max-age=31536000',
  )
  expect(await headersAt('http://localhost:3000')).not.toHaveProperty('strict-transport-security')
})

it('answers a call on a connection opened before the shutdown, and then closes the connection', async () => {
  const server = await bareServer({})
  const closing = Promise.withResolvers<void>()
  server.addHook('preClose', async () => closing.resolve())
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const accepted = once(server.server, 'connection')
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  await accepted
  const closed = server.close()
  await closing.promise
  socket.write('GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]*\r\nconnection: close\r\n[^]*"openapi":"3.1.0"/i)
  await closed
})

it('closes a kept-alive connection after the request that was in progress at shutdown', async () => {
  const requested = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const slow: PlainRoute = {
    method: 'GET',
    path: '/slow',
    async handle(_request, reply) {
      requested.resolve()
      await answered.promise
      return reply.send('answered late')
    },
  }
  const server = await bareServer({ plainRoutes: [slow] })
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await requested.promise
  const closed = server.close()
  answered.resolve()
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]*answered late$/)
  await closed
})

it('refuses a body that is too large, and one that is not JSON', async () => {
  const visitor = site.visitor()
  const post = (body: string, type: string) =>
    visitor.fetch('/api/user', { method: 'POST', headers: { 'content-type': type }, body })
  expect((await post(JSON.stringify({ display_name: 'x'.repeat(70_000) }), 'application/json')).status).toBe(
    413,
  )
  expect((await post('<user/>', 'application/xml')).status).toBe(415)
  expect((await post('{"display_name":', 'application/json')).status).toBe(400)
})

it('caps a limit at the maximum and refuses a damaged cursor', async () => {
  const visitor = site.visitor()
  for (let i = 0; i < 51; i++) await buildVideo(site.context, { episodes: 0 })
  expect((await visitor.callOk(queryHomepage, { query: { limit: 5000 } })).list).toHaveLength(50)
  const { status, answer } = await visitor.call(queryHomepage, { query: { cursor: 'bm90IGEgY3Vyc29y' } })
  expect([status, answer.code]).toEqual([400, 400])
})

const apiDocument = async () => (await site.visitor().fetch('/api/openapi.json')).json()

it('describes every call in an OpenAPI 3.1 document', async () => {
  const document = await apiDocument()
  expect(document.openapi).toBe('3.1.0')
  const described = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const served = (await listApiRoutes(site.context)).filter((call) => call !== 'GET /api/openapi.json')
  expect(served.length).toBeGreaterThan(100)
  expect(described.toSorted()).toEqual(served.toSorted())
  expect(JSON.stringify(document.paths['/api/video/episode'].get.responses['200'])).toContain('"const":402')
})

it.each([
  ['/api/statics.png', ['event', 'fbclid', 'ttclid', 'fields']],
  ['/api/webhook/payment/paypal-return', ['token', 'change']],
  ['/api/webhook/payment/paypal-cancel', ['token', 'change']],
])('describes the query parameters of %s', async (path, names) => {
  const { parameters } = (await apiDocument()).paths[path].get
  expect(parameters).toEqual(names.map((name) => expect.objectContaining({ name, in: 'query' })))
})

it('reports health and readiness', async () => {
  expect((await site.visitor().fetch('/api/health')).status).toBe(200)
  expect((await site.visitor().fetch('/api/ready')).status).toBe(200)
})
