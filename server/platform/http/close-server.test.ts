import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { closeServer, trackRequests } from './close-server.ts'

/** Far longer than a test may take. */
const neverMs = 2 ** 31 - 1
const sockets: Socket[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Starts a server whose response waits until the test completes it. */
async function startServer() {
  const app = Fastify()
  const requests = trackRequests(app.server)
  const response = Promise.withResolvers<string>()
  const received = Promise.withResolvers<void>()
  app.get('/', () => {
    received.resolve()
    return response.promise
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const open = async (sent: string) => {
    // The kernel completes a connection before the server accepts it. Closing the listener would then reset it.
    const accepted = once(app.server, 'connection')
    const socket = connect(Number(port), '127.0.0.1')
    sockets.push(socket)
    await accepted
    socket.write(sent)
    return socket
  }
  const request = async () => {
    const socket = await open('GET / HTTP/1.1\r\nHost: site\r\nConnection: close\r\n\r\n')
    await received.promise
    return socket
  }
  return {
    open,
    request,
    respond: response.resolve,
    close: (maxMs: number) => closeServer(app, requests, maxMs),
  }
}

test('a request under way is finished before the server is closed', { timeout: 60_000 }, async () => {
  const { request, respond, close } = await startServer()
  const answer = text(await request())
  const closed = close(neverMs)
  respond('done')
  expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*done$/)
  await closed
})

test('connections without a complete request do not delay the close', { timeout: 60_000 }, async () => {
  const { open, close } = await startServer()
  const ends = [await open(''), await open('GET / HTTP/1.1\r\nHost:')].map((socket) => text(socket))
  await close(neverMs)
  expect(await Promise.all(ends)).toEqual(['', ''])
})

test('a request that exceeds the time limit is cut off', { timeout: 60_000 }, async () => {
  const { request, close } = await startServer()
  const answer = text(await request())
  await close(1500)
  expect(await answer).toBe('')
})
