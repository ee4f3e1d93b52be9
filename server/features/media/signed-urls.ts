import { createHmac, timingSafeEqual } from 'node:crypto'

/** Validity of a signed link after the episode's duration; at most four hours in all. */
const validityMarginMs = 10 * 60_000
const maxValidityMs = 4 * 3_600_000
/** Links expire in full steps, so a viewer who returns within one gets the same link, and the browser's cached files. */
const stepMs = 5 * 60_000

/** Returns the expiry of a link issued now for an episode of this duration: up to a step before the maximum. */
export function signatureExpiry(now: Date, durationMs: number): Date {
  const latest = now.getTime() + Math.min(durationMs + validityMarginMs, maxValidityMs)
  return new Date(Math.floor(latest / stepMs) * stepMs)
}

/** Links to the files of one asset with a common signature, and its expiry. */
export interface IssuedLinks {
  expires: Date
  link(file: string): string
}

/** Issues signed links to the files in an asset's folder for one subject. The first secret signs. */
export function issueSignedUrls(
  secrets: readonly string[],
  { folder, duration_ms }: { folder: string; duration_ms: number | null },
  subject: string,
  now: Date,
): IssuedLinks {
  const expires = signatureExpiry(now, duration_ms ?? 0)
  const signature = signMediaUrl(secrets, folder, subject, expires)
  return { expires, link: (file) => `/media/${signature}/${folder}/${file}` }
}

/**
 * Creates the path segment that allows one subject to read one asset until a given time: `{expires}.{subject}.{mac}`, with the MAC
 * over `asset|subject|expires` in base64url. It can be verified with the secret, as nginx does in deploy/nginx/signed-urls.js. The
 * first secret signs.
 */
export function signMediaUrl(
  [secret = '']: readonly string[],
  asset: string,
  subject: string,
  expires: Date,
): string {
  const seconds = Math.floor(expires.getTime() / 1000)
  return `${seconds}.${subject}.${macOf(secret, asset, subject, seconds)}`
}

/** Verifies a signature: `valid` by any of the secrets, or the reason why not. */
export function verifyMediaUrl(
  secrets: readonly string[],
  signature: string,
  asset: string,
  now: Date,
): 'valid' | 'forged' | 'expired' {
  const [expires = '', subject = '', mac = '', ...more] = signature.split('.')
  const isSigned = secrets.some((secret) => isEqual(mac, macOf(secret, asset, subject, expires)))
  if (!isSigned || more.length > 0) return 'forged'
  return Number(expires) * 1000 > now.getTime() ? 'valid' : 'expired'
}

function isEqual(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function macOf(secret: string, asset: string, subject: string, seconds: number | string): string {
  return createHmac('sha256', secret).update(`${asset}|${subject}|${seconds}`).digest('base64url')
}
