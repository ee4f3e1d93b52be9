import { createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs } from '#server/platform/clock.ts'

/** How a token travels; one that was made for the cookie is worth nothing in the header, and the other way round. */
export type Carrier = 'cookie' | 'header'

export interface Guest {
  userId: string
  /** Whether something is kept for the guest, so that it has a row. */
  kept: boolean
  /** The first referrer token that it came with, until something is kept. */
  cameBy?: string | undefined
}

/** Guests are known for 400 days (security.md, "Sessions"). */
export const guestDays = 400
const maxAgeMs = guestDays * dayMs

/** Longer than any valid token: a referrer token has at most 512 characters of 3 bytes each. Bounds what an invalid one can store. */
const longest = 2400

/** Tokens of the same hour are the same, so that few have to be signed. */
const issuedEachMs = 3_600_000

/** A guest's signed token. It costs no row: the id it holds becomes the row's once something is kept. */
export function signGuest(secret: string, carrier: Carrier, guest: Guest, now: Date): string {
  const { userId, kept, cameBy } = guest
  const issued = now.getTime() - (now.getTime() % issuedEachMs)
  const came = kept || cameBy === undefined ? [] : [Buffer.from(cameBy).toString('base64url')]
  const claims = ['g', userId, kept ? 1 : 0, issued.toString(36), ...came].join('.')
  return `${claims}.${macOf(secret, carrier, claims)}`
}

/** Reads the guest of a token; null if it is forged, altered, expired or arrived by the other carrier. */
export function readGuest(secret: string, carrier: Carrier, token: string, now: Date): Guest | null {
  if (token.length > longest) return null
  const end = token.lastIndexOf('.')
  const claims = token.slice(0, end)
  const [kind, userId, kept, issued, came] = claims.split('.')
  if (kind !== 'g' || !userId || !issued) return null
  if (!sameText(token.slice(end + 1), macOf(secret, carrier, claims))) return null
  const age = now.getTime() - parseInt(issued, 36)
  if (age > maxAgeMs) return null
  return { userId, kept: kept === '1', cameBy: came && Buffer.from(came, 'base64url').toString() }
}

/** Codes that were worked out before: a browser sends the same token with every call. */
const macs = new Map<string, string>()
const mostKnown = 5000

function macOf(secret: string, carrier: Carrier, claims: string): string {
  const message = `guest|${carrier}|${claims}`
  const key = `${secret}|${message}`
  const known = macs.get(key)
  if (known !== undefined) return known
  const mac = createHmac('sha256', secret).update(message).digest('base64url')
  if (macs.size >= mostKnown) macs.clear()
  macs.set(key, mac)
  return mac
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
