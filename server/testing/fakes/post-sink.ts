import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ReceivedPost {
  path: string
  headers: IncomingHttpHeaders
  body: unknown
}

/** Response of the server; `nothing` means that it never responds. */
export type Reply = { status: number; body: unknown; headers?: Record<string, string> } | 'nothing'

/** A fake HTTP server that records what is posted, and responds as the test has configured. */
export interface PostSink {
  url: string
  posts: ReceivedPost[]
  reply: (posted: ReceivedPost) => Reply | Promise<Reply>
  close(): Promise<void>
}

/** Starts the server. @param read parses a posted body, by default as JSON */
export async function openPostSink(
  read: (text: string) => unknown = (text) => JSON.parse(text),
): Promise<PostSink> {
  const sink: Pick<PostSink, 'posts' | 'reply'> = { posts: [], reply: () => ({ status: 200, body: {} }) }
  // Does not close idle connections, because a client on a slow machine may be about to use one.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const text = Buffer.concat(parts).toString()
      const posted = { path: request.url ?? '', headers: request.headers, body: read(text) }
      sink.posts.push(posted)
      const reply = await sink.reply(posted)
      if (reply === 'nothing') return
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      response.end(JSON.stringify(reply.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The cast is safe: a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return Object.assign(sink, {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
