import { createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs } from '#server/platform/clock.ts'

/** The carrier of a token; one for the cookie is invalid in the header, and vice versa. */
export type Carrier = 'cookie' | 'header'

export interface Guest {
  userId: string
  /** Whether something is stored for the guest, so that it has a row. */
  kept: boolean
  /** The first referrer token of a guest without a row. */
  cameBy?: string | undefined
}

/** Guest cookies last for 400 days. */
export const guestDays = 400
const maxAgeMs = guestDays * dayMs

/** Longer than any valid token: a referrer token has at most 512 characters of 3 bytes each. Limits the memory for invalid ones. */
const longest = 2400

/** Tokens of the same hour are equal, so that few have to be signed. */
const issuedEachMs = 3_600_000

/** Signs a guest's token. It needs no row: the id becomes the row's once something is stored. */
export function signGuest(secret: string, carrier: Carrier, guest: Guest, now: Date): string {
  const { userId, kept, cameBy } = guest
  const issued = now.getTime() - (now.getTime() % issuedEachMs)
  const came = kept || cameBy === undefined ? [] : [Buffer.from(cameBy).toString('base64url')]
  const claims = ['g', userId, kept ? 1 : 0, issued.toString(36), ...came].join('.')
  return `${claims}.${macOf(secret, carrier, claims)}`
}

/** Reads the guest of a token; null if it is forged, altered, expired or sent by the other carrier. */
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

/** A cache of signatures: a browser sends the same token with every call. */
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
