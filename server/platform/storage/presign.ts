import { createHash, createHmac } from 'node:crypto'

/** A bucket with the credentials to read it. */
export interface SigningBucket {
  /** Includes the bucket; no slash at the end. */
  address: URL
  region: string
  accessKeyId: string
  secretAccessKey: string
}

interface LinkRequest {
  key: string
  signedAt: Date
  expires: Date
  /** Additional signed parameters, such as the response's caching. */
  query?: Record<string, string>
}

/**
 * Creates a URL that opens one file until a time: Signature Version 4 in the query (AWS, "Authenticating requests:
 * using query parameters"). A playlist has hundreds of such URLs, so each must take only microseconds.
 */
export function presign(bucket: SigningBucket, { key, signedAt, expires, query = {} }: LinkRequest): string {
  const { address, region, accessKeyId, secretAccessKey } = bucket
  const time = signedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const parameters = Object.entries({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(Math.floor((expires.getTime() - signedAt.getTime()) / 1000)),
    'X-Amz-SignedHeaders': 'host',
    ...query,
  })
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')
  const path = `${address.pathname.replace(/\/$/, '')}/${key.split('/').map(encode).join('/')}`
  const request = ['GET', path, parameters, `host:${address.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const hash = createHash('sha256').update(request).digest('hex')
  const signed = hmac(
    signingKey(secretAccessKey, day, region),
    ['AWS4-HMAC-SHA256', time, scope, hash].join('\n'),
  )
  return `${address.origin}${path}?${parameters}&X-Amz-Signature=${signed.toString('hex')}`
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

let known: { name: string; key: Buffer } | undefined

/** Returns the signing key of a day, which is cached. */
function signingKey(secret: string, day: string, region: string): Buffer {
  const name = `${secret} ${day} ${region}`
  if (known?.name !== name)
    known = {
      name,
      key: [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`)),
    }
  return known.key
}

/** Percent-encodes by RFC 3986, which encodes more characters than `encodeURIComponent`. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
