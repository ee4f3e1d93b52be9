import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startFauxqs } from 'fauxqs'
import { signatureErrorOf } from './verify-s3-signature.ts'
import { createMultipartUploads } from './multipart-uploads.ts'

/** Faults that replace the response to a request. */
export type Fault =
  | 'break'
  | 'break in the middle'
  | 'stop in the middle'
  | 'lose the answer'
  /** Breaks off the response to a request without a range, and answers a request for a range with the whole file. */
  | 'forget the range'
  /** Breaks off the response to a request without a range, and answers a request for a range with another range. */
  | 'mistake the range'
  | 'fail'
  | 'refuse'
  | 'stall'
  | undefined

export interface FakeS3 {
  settings: Record<'S3_ENDPOINT' | 'S3_BUCKET' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY', string>
  url: string
  /** The requests so far, such as `PUT /films/media/a`. */
  requests: string[]
  /** Sets a function that chooses a fault for each request. By default, no request has a fault. */
  setFault(fault: (call: string) => Fault | Promise<Fault>): void
  close(): Promise<void>
}

/** The buckets; each site of a test has its own. */
const buckets = ['films', 'films-2', 'films-3', 'films-4', 'films-5'] as const
const [bucket] = buckets
const credentials = { accessKeyId: 'fake-key', secretAccessKey: 'fake-secret' }

/**
 * Starts an S3 server in this process: fauxqs, behind a proxy. The proxy checks signatures, lists unfinished uploads,
 * and can simulate failures.
 */
export async function startFakeS3(host = '127.0.0.1'): Promise<FakeS3> {
  const store = await startFauxqs({
    port: 0,
    host: '127.0.0.1',
    logger: false,
    init: { buckets: [...buckets] },
  })
  const uploads = createMultipartUploads()
  const requests: string[] = []
  let faultOf: (call: string) => Fault | Promise<Fault> = () => undefined
  // Does not close idle connections, because a client on a slow machine may be about to use one.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    allowCors(response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const call = `${request.method} ${request.url}`
    requests.push(call)
    const refusal = signatureErrorOf(request, credentials, new Date())
    if (refusal !== undefined) return void refuse(request, response, 403, refusal)
    const decided = faultOf(call)
    const fault = decided instanceof Promise ? await decided : decided
    if (fault === 'break') return void request.socket.destroy()
    if (fault === 'stall') return void request.resume()
    if (fault === 'fail') return void refuse(request, response, 500, 'InternalError')
    if (fault === 'refuse') return void refuse(request, response, 400, 'EntityTooLarge')
    const listed = uploads.list(request)
    if (listed === 'gone') return void refuse(request, response, 404, 'NoSuchUpload')
    if (listed !== undefined) return void response.setHeader('content-type', 'application/xml').end(listed)
    forward(request, response, store.port, fault, uploads.recordRequest)
  })
  await new Promise<void>((resolve) => void server.listen(0, host, resolve))
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    url,
    settings: {
      S3_ENDPOINT: url,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    requests,
    setFault: (fault) => void (faultOf = fault),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await store.stop()
    },
  }
}

/** Sets the CORS headers that docs/storage-and-cdn.md requires, because pages of the site read from the bucket. */
function allowCors(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', 'GET, HEAD')
  response.setHeader('access-control-allow-headers', 'range')
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  request.resume()
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(
    request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  )
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  fault: Fault,
  recordRequest: (
    request: IncomingMessage,
    status: number,
    headers: IncomingMessage['headers'],
    body: string,
  ) => void,
): void {
  const { method, url: path, headers } = request
  const breaks = fault === 'break in the middle' || (fault?.endsWith('range') && headers.range === undefined)
  if (fault === 'forget the range') delete headers.range
  if (fault === 'mistake the range' && headers.range) headers.range = 'bytes=1-'
  const upstream = sendRequest({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
    const status = answer.statusCode ?? 502
    response.writeHead(status, answer.headers)
    const parts: Buffer[] = []
    answer.on('data', (chunk: Buffer) => {
      if (method !== 'GET') parts.push(chunk)
      if (breaks || fault === 'stop in the middle') {
        answer.destroy()
        response.write(chunk.subarray(0, chunk.length / 2), () => {
          if (breaks) response.destroy()
        })
      } else if (fault !== 'lose the answer') response.write(chunk)
    })
    answer.on('end', () => {
      recordRequest(request, status, answer.headers, Buffer.concat(parts).toString())
      if (fault === 'lose the answer') response.destroy()
      else response.end()
    })
  })
  upstream.on('error', () => response.destroy())
  request.pipe(upstream)
}
