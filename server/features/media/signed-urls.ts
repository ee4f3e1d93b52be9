import { createHmac, timingSafeEqual } from 'node:crypto'

/** A signed link is valid for the episode's length and ten minutes, at most four hours (security.md, "Media"). */
const spareMs = 10 * 60_000
const longestMs = 4 * 3_600_000
/** Links expire at full steps, so a viewer who returns within one gets the same link, and the browser's cached files. */
const stepMs = 5 * 60_000

/** When a link that is issued now for an episode of this length expires: up to a step before its maximum. */
export function signatureExpiry(now: Date, durationMs: number): Date {
  const latest = now.getTime() + Math.min(durationMs + spareMs, longestMs)
  return new Date(Math.floor(latest / stepMs) * stepMs)
}

/** Links to the files of one asset, all by the same pass, and when that ends. */
export interface IssuedLinks {
  expires: Date
  link(file: string): string
}

/** Issues signed links to the files in an asset's folder, for one subject from now on. The first secret signs. */
export function issueSignedUrls(
  secrets: readonly string[],
  { folder, duration_ms }: { folder: string; duration_ms: number | null },
  subject: string,
  now: Date,
): IssuedLinks {
  const expires = signatureExpiry(now, duration_ms ?? 0)
  const pass = signMediaUrl(secrets, folder, subject, expires)
  return { expires, link: (file) => `/media/${pass}/${folder}/${file}` }
}

/**
 * The path segment that lets one subject read one asset until a moment: `{expires}.{subject}.{mac}`, the mac over
 * `asset|subject|expires` in base64url (security.md, "Media"). Anything that knows the secret can verify it, as nginx does
 * in deploy/nginx/signed-urls.js. The first of the secrets signs.
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

/** What a pass is good for: `valid`, by any of the secrets, or why it is not. */
export function verifyMediaUrl(
  secrets: readonly string[],
  pass: string,
  asset: string,
  now: Date,
): 'valid' | 'forged' | 'expired' {
  const [expires = '', subject = '', mac = '', ...more] = pass.split('.')
  const isSigned = secrets.some((secret) => same(mac, macOf(secret, asset, subject, expires)))
  if (!isSigned || more.length > 0) return 'forged'
  return Number(expires) * 1000 > now.getTime() ? 'valid' : 'expired'
}

function same(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function macOf(secret: string, asset: string, subject: string, seconds: number | string): string {
  return createHmac('sha256', secret).update(`${asset}|${subject}|${seconds}`).digest('base64url')
}
