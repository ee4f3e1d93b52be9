import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const range = { from: 30_000, to: 32_768 }
let next = randomInt(range.from, range.to)

/**
 * Returns a free port on this machine, another one at each call. Linux and macOS assign higher ports to other sockets,
 * so that none of them takes the port while the caller's program starts. Lower ports belong to browser tests (e2e/playwright.config.ts).
 */
export async function freePort(): Promise<number> {
  const port = next
  next = port + 1 < range.to ? port + 1 : range.from
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return freePort()
    throw error
  }
  server.close()
  await once(server, 'close')
  return port
}
