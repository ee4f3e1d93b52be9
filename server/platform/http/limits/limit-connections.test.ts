import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { languages } from '#contract/languages.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { readResourceLimits } from '#server/platform/config/read-resource-limits.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { sendBounded } from '#server/platform/http/sending/send-bounded.ts'
import { createHttpServer } from '#server/platform/http/server.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

const megabyte = 'x'.repeat(1024 * 1024)

/** Starts a server with one large response whose chunks are generated on demand. */
async function serve(
  settings: Record<string, string>,
  pieces: (reply: FastifyReply) => Iterable<string> = () => Array.from({ length: 64 }, () => megabyte),
): Promise<{ app: FastifyInstance; port: number; ended: Promise<void> }> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const app = await createHttpServer({
    ...site.context,
    publicUrl: site.url,
    trustProxy: 0,
    resourceLimits: readResourceLimits(settings),
    routes: [],
    plainRoutes: [
      {
        method: 'GET',
        path: '/large',
        handle: (_request, reply) =>
          sendBounded(reply, Readable.from(pieces(reply), { objectMode: false }), {
            maxDurationMs: Number(settings['LONGEST_MS'] ?? 60_000),
            onDone: resolve,
          }),
      },
    ],
    identify: () => null,
    offeredLanguages: () => languages,
    storedLanguage: () => Promise.resolve(null),
    shareCalls: () => Promise.resolve([]),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  return { app, port: (app.server.address() as AddressInfo).port, ended }
}

function open(port: number, path?: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  return socket
}

/** Returns whether a client gets a response or a closed connection. */
function fateOf(port: number): Promise<'answered' | 'closed'> {
  const { promise: fate, resolve } = Promise.withResolvers<'answered' | 'closed'>()
  open(port, '/api/nothing')
    .once('data', () => resolve('answered'))
    .once('close', () => resolve('closed'))
  return fate
}

test('limits the connections of a network, and accepts another when one has ended', async () => {
  const { port } = await serve({ MAX_CONNECTIONS_PER_IP: '2' })
  const first = open(port)
  const second = open(port)
  await Promise.all([once(first, 'connect'), once(second, 'connect')])
  expect(await fateOf(port)).toBe('closed')
  first.end()
  await expect.poll(() => fateOf(port)).toBe('answered')
})

test('limits the connections of a process', async () => {
  const { app, port } = await serve({ MAX_CONNECTIONS: '1' })
  await once(open(port, '/api/nothing'), 'data')
  const dropped = vi.fn<() => void>()
  app.server.on('drop', dropped)
  expect(await fateOf(port)).toBe('closed')
  expect(dropped).toHaveBeenCalledOnce()
})

test('aborts a response of which the client reads no byte, and closes the connection', async () => {
  const { app, port, ended } = await serve({ WRITE_TIMEOUT_SECONDS: '1', LONGEST_MS: '600000' })
  const onEnded = vi.fn<() => void>()
  void ended.then(onEnded)
  open(port, '/large').pause()
  await expect.poll(() => onEnded.mock.calls.length).toBe(1)
  const countOpen = promisify(app.server.getConnections.bind(app.server))
  await expect.poll(() => countOpen()).toBe(0)
})

test('aborts a response if the client takes too long to read all of it', async () => {
  const { port, ended } = await serve({ LONGEST_MS: '50' })
  open(port, '/large').pause()
  await ended
})

test('generates the next chunk of a large response only after the client has read the previous one', async () => {
  let most = 0
  function* pieces(reply: FastifyReply) {
    for (let opened = 0; opened < 64; opened++) {
      most = Math.max(most, reply.raw.writableLength)
      yield megabyte
    }
  }
  const { port, ended } = await serve({}, pieces)
  open(port, '/large').resume()
  await ended
  expect(most).toBeLessThan(4 * megabyte.length)
})

test('closes a connection that sends requests without reading the responses, and runs no more of its requests', async () => {
  const run = vi.fn<() => void>()
  const { app, port } = await serve({}, function* () {
    run()
    yield megabyte
  })
  const socket = open(port)
  const ended = once(socket, 'close')
  socket.pause().write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2000))
  const countOpen = promisify(app.server.getConnections.bind(app.server))
  await expect.poll(() => run.mock.calls.length).toBeGreaterThan(0)
  await expect.poll(() => countOpen()).toBe(0)
  expect(run.mock.calls.length).toBeLessThanOrEqual(2)
  socket.resume()
  await ended
})

test('answers a few pipelined requests', async () => {
  const { port } = await serve({})
  const socket = open(port)
  let text = ''
  socket.on('data', (data) => (text += String(data)))
  for (const answers of [2, 4]) {
    socket.write('GET /api/nothing HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2))
    await expect.poll(() => text.split('HTTP/1.1 404').length - 1).toBe(answers)
  }
})
