import { readdirSync } from 'node:fs'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { proxyPort, sitePort } from '#e2e/support/site-url.ts'

/** URL of the proxy between browser and site in the service worker tests. */
export const proxyUrl = `http://localhost:${proxyPort}`

export interface ReleaseProxy {
  /** True to drop all requests. */
  isDown: boolean
  /** True to delay documents. */
  slow: boolean
  /** The deployed release. In release 2, every file has another name, and the names of release 1 do not exist. */
  release: 1 | 2
  /** Paths that do not exist in either release. */
  missingPaths: RegExp | undefined
  close(): Promise<void>
}

const built = new Set(readdirSync(join(import.meta.dirname, '../../dist/web/assets')))
const fileName = /[\w.-]+-[\w-]{7}\.(?:js|css|woff2)/g
const texts = /html|javascript|css/
const slowMs = 30_000

/** Starts the proxy. It serves the built site as one of two releases. */
export async function startReleaseProxy(): Promise<ReleaseProxy> {
  const proxy: ReleaseProxy = { isDown: false, slow: false, release: 1, missingPaths: undefined, close }
  const server = createServer((request, response) => {
    if (proxy.isDown) return void request.socket.destroy()
    const isDocument = request.headers['sec-fetch-dest'] === 'document'
    setTimeout(() => forward(proxy, request, response), proxy.slow && isDocument ? slowMs : 0).unref()
  })
  function close(): Promise<void> {
    server.closeAllConnections()
    return new Promise((done) => server.close(() => done()))
  }
  await new Promise<void>((done) => server.listen(proxyPort, done))
  return proxy
}

function forward(proxy: ReleaseProxy, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/'
  const old = path.replace(/\.two(\.\w+)$/, '$1')
  const isNew = old !== path
  if (proxy.missingPaths?.test(path) || (path.startsWith('/assets/') && isNew !== (proxy.release === 2)))
    return void response.writeHead(404).end()
  const headers = { ...request.headers, 'accept-encoding': 'identity' }
  if (proxy.release === 2) delete headers['if-none-match']
  const upstream = ask({ port: sitePort, path: old, method: request.method, headers }, (answer) => {
    if (proxy.release === 1 || !texts.test(answer.headers['content-type'] ?? '')) {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      return void answer.pipe(response)
    }
    void sendAsSecondRelease(answer, response)
  })
  upstream.on('error', () => response.destroy())
  request.pipe(upstream)
}

async function sendAsSecondRelease(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks)
    .toString()
    .replaceAll(fileName, (name) => (built.has(name) ? name.replace(/(\.\w+)$/, '.two$1') : name))
    .replaceAll(/(release [0-9a-f]{16})/g, '$1 two')
  const { etag: _etag, 'content-length': _length, ...headers } = answer.headers
  response.writeHead(answer.statusCode ?? 502, headers).end(text)
}
