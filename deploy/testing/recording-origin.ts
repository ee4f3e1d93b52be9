import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RecordingOrigin {
  /** `host:port` */
  host: string
  /** The requested paths in order. */
  requestedPaths: string[]
  /** Returns the size of all bodies sent for paths that match. */
  bytesSent(path: RegExp): number
  close(): Promise<void>
}

/** Starts a proxy that forwards GET requests to the site and records their paths. */
export async function startRecordingOrigin(siteUrl: string): Promise<RecordingOrigin> {
  const requestedPaths: string[] = []
  const sent: { path: string; bytes: number }[] = []
  const server = createServer(async ({ url = '/' }, reply) => {
    requestedPaths.push(url)
    const answer = await fetch(siteUrl + url, { signal: AbortSignal.timeout(60_000), redirect: 'manual' })
    for (const [name, value] of answer.headers) if (name !== 'connection') reply.setHeader(name, value)
    const body = Buffer.from(await answer.arrayBuffer())
    sent.push({ path: url, bytes: body.length })
    reply.writeHead(answer.status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The cast is safe: a server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    requestedPaths,
    bytesSent: (pattern) =>
      sent.filter(({ path }) => pattern.test(path)).reduce((sum, { bytes }) => sum + bytes, 0),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
