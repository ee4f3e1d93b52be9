import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

interface Credentials {
  accessKeyId: string
  secretAccessKey: string
}

/** The parts of a request's signature, from the query or from the Authorization header. */
interface SignatureClaim {
  credential: string
  signedHeaders: string
  signature: string
  time: string
}

/**
 * Returns the error with which an S3 server would refuse a request; undefined if its signature is valid. Recomputes
 * Signature Version 4 with the secret.
 */
export function signatureErrorOf(
  request: IncomingMessage,
  { accessKeyId, secretAccessKey }: Credentials,
  now: Date,
) {
  const url = new URL(request.url ?? '/', 'http://store')
  const inQuery = url.searchParams.has('X-Amz-Signature')
  const claim = inQuery ? claimOfQuery(url) : claimOfHeader(request)
  if (!claim) return 'AccessDenied'
  const [keyId, day = '', region = '', service = ''] = claim.credential.split('/')
  if (keyId !== accessKeyId) return 'InvalidAccessKeyId'
  const signedAt = Date.parse(
    claim.time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  const expiresAt = signedAt + 1000 * Number(url.searchParams.get('X-Amz-Expires') ?? 900)
  if (!(signedAt <= now.getTime() + 900_000 && now.getTime() < expiresAt)) return 'AccessDenied'
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
  const headers = claim.signedHeaders
    .split(';')
    .map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`)
  const payload = inQuery ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256'])
  const canonical = [
    request.method,
    url.pathname,
    query.join('&'),
    headers.join(''),
    claim.signedHeaders,
    payload,
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const hash = createHash('sha256').update(canonical).digest('hex')
  let key = Buffer.from(`AWS4${secretAccessKey}`)
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest()
  const expectedSignature = createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n${claim.time}\n${scope}\n${hash}`)
    .digest('hex')
  return expectedSignature === claim.signature ? undefined : 'SignatureDoesNotMatch'
}

function claimOfQuery({ searchParams }: URL): SignatureClaim {
  const of = (name: string) => searchParams.get(`X-Amz-${name}`) ?? ''
  return {
    credential: of('Credential'),
    signedHeaders: of('SignedHeaders'),
    signature: of('Signature'),
    time: of('Date'),
  }
}

function claimOfHeader({ headers }: IncomingMessage): SignatureClaim | undefined {
  const found = /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
    headers.authorization ?? '',
  )
  const [, credential = '', signedHeaders = '', signature = ''] = found ?? []
  return found ? { credential, signedHeaders, signature, time: String(headers['x-amz-date']) } : undefined
}

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
