import type { IncomingMessage } from 'node:http'

interface MultipartUpload {
  key: string
  startedAt: Date
  parts: Map<number, { etag: string; bytes: number }>
}

/** Tracks the unfinished multipart uploads of a store, for ListMultipartUploads and ListParts. */
export function createMultipartUploads() {
  const open = new Map<string, MultipartUpload>()
  return {
    /** Records the effect of a request that the store has processed. */
    recordRequest(
      request: IncomingMessage,
      status: number,
      headers: IncomingMessage['headers'],
      body: string,
    ): void {
      const { key, query } = readUrl(request)
      const id = query.get('uploadId') ?? ''
      if (status >= 300) return
      if (request.method === 'POST' && query.has('uploads'))
        open.set(/<UploadId>([^<]+)/.exec(body)?.[1] ?? '', { key, startedAt: new Date(), parts: new Map() })
      else if (request.method === 'PUT' && id)
        open.get(id)?.parts.set(Number(query.get('partNumber')), {
          etag: String(headers.etag),
          bytes: Number(request.headers['content-length']),
        })
      else if (id) open.delete(id)
    },
    /** Returns the response if a request asks for one of these lists; otherwise undefined. */
    list(request: IncomingMessage): string | 'gone' | undefined {
      const { query } = readUrl(request)
      if (request.method !== 'GET') return undefined
      if (query.has('uploads')) return uploadsXml(open, query.get('prefix') ?? '')
      const id = query.get('uploadId')
      if (id === null) return undefined
      const upload = open.get(id)
      return upload ? partsXml(upload) : 'gone'
    },
  }
}

function readUrl(request: IncomingMessage) {
  const url = new URL(request.url ?? '/', 'http://store')
  return { key: decodeURIComponent(url.pathname.split('/').slice(2).join('/')), query: url.searchParams }
}

function uploadsXml(open: ReadonlyMap<string, MultipartUpload>, prefix: string): string {
  const uploads = [...open]
    .filter(([, { key }]) => key.startsWith(prefix))
    .map(
      ([id, { key, startedAt }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
    )
  return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`
}

function partsXml({ parts }: MultipartUpload): string {
  const each = [...parts]
    .toSorted(([one], [other]) => one - other)
    .map(
      ([number, { etag, bytes }]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag><Size>${bytes}</Size></Part>`,
    )
  return `<ListPartsResult><IsTruncated>false</IsTruncated>${each.join('')}</ListPartsResult>`
}
