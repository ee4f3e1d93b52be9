import { createHmac } from 'node:crypto'
import { equalsInConstantTime } from '#server/platform/equals-in-constant-time.ts'

/** A signed link is valid for the episode's duration plus this margin, but for at most four hours. */
const validityMarginMs = 10 * 60_000
const maxValidityMs = 4 * 3_600_000
/**
 * Expiry times are rounded down to multiples of this step. Requests of a viewer within the same step get the same link,
 * so their files are found in the browser's cache.
 */
const stepMs = 5 * 60_000

/**
 * Returns the expiry of a link that is issued now for an episode of this duration. The expiry is rounded down to a
 * multiple of the step.
 */
export function signatureExpiry(now: Date, durationMs: number): Date {
  const latest = now.getTime() + Math.min(durationMs + validityMarginMs, maxValidityMs)
  return new Date(Math.floor(latest / stepMs) * stepMs)
}

/** Signed links to the files of one asset. All have the same signature, and thus the same expiry. */
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
 * Creates the signature in media links: a path segment that allows one subject to read one asset until a given time.
 * Its form is `{expires}.{subject}.{mac}`, with the MAC of `asset|subject|expires` in base64url. nginx verifies it with
 * the same secret (deploy/nginx/signed-urls.js). The first secret signs.
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

/** Verifies a signature against all secrets. Returns `valid`, or the reason for which it is not valid. */
export function verifyMediaUrl(
  secrets: readonly string[],
  signature: string,
  asset: string,
  now: Date,
): 'valid' | 'forged' | 'expired' {
  const [expires = '', subject = '', mac = '', ...more] = signature.split('.')
  const isSigned = secrets.some((secret) => equalsInConstantTime(mac, macOf(secret, asset, subject, expires)))
  if (!isSigned || more.length > 0) return 'forged'
  return Number(expires) * 1000 > now.getTime() ? 'valid' : 'expired'
}

function macOf(secret: string, asset: string, subject: string, seconds: number | string): string {
  return createHmac('sha256', secret).update(`${asset}|${subject}|${seconds}`).digest('base64url')
}
