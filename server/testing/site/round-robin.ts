import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A reverse proxy of a few lines: each request goes to the next of `targets`, as it came. */
export async function shareRequests(
  targets: readonly string[],
): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0
  // It closes no idle connection: a client on a slow machine may be about to use it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const target = targets[turn++ % targets.length] ?? ''
    pass(target, request, response)
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

function pass(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request
  const onwards = ask(target + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
  })
  // A body that is refused for its size is not read to its end: the answer is there all the same.
  onwards.on('error', () => response.headersSent || response.destroy())
  response.on('close', () => onwards.destroy())
  request.pipe(onwards)
}
