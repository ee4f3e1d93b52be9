import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a minimal reverse proxy. It forwards each request unchanged to the next of `targets`. */
export async function startRoundRobinProxy(
  targets: readonly string[],
): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0
  // Does not close idle connections, because a client on a slow machine may be about to use one.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const target = targets[turn++ % targets.length] ?? ''
    forward(target, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function forward(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request
  const upstream = ask(target + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
  })
  // A server that refuses a body for its size responds without reading the whole body. So an error after the response
  // is ignored.
  upstream.on('error', () => response.headersSent || response.destroy())
  response.on('close', () => upstream.destroy())
  request.pipe(upstream)
}
