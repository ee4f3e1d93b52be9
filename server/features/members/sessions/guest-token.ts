import { createHmac } from 'node:crypto'
import { equalsInConstantTime } from '#server/platform/equals-in-constant-time.ts'
import { dayMs } from '#server/platform/clock.ts'

/** How a token is sent. A token for the cookie is invalid in the header, and vice versa. */
export type TokenTransport = 'cookie' | 'header'

export interface Guest {
  userId: string
  /** True if something is stored for the guest, so that the guest has a row. */
  isStored: boolean
  /** The first referrer token of a guest without a row. */
  firstReferrerToken?: string | undefined
}

/** Guest cookies last for 400 days. */
export const guestDays = 400
const maxAgeMs = guestDays * dayMs

/**
 * Longer tokens are rejected, so that invalid tokens cannot fill the memory of `macCache`. Every valid token is
 * shorter: its longest part is the referrer token, which has at most 512 characters of 3 bytes each.
 */
const maxTokenLength = 2400

/**
 * Issue times are rounded down to the hour. All tokens that a guest gets within an hour are then equal, so `macCache`
 * already has their signature.
 */
const issuedAtPrecisionMs = 3_600_000

/**
 * Signs a token for a guest. The guest needs no row in the database. A row with this id is created when something is
 * stored for the guest for the first time.
 */
export function signGuest(secret: string, transport: TokenTransport, guest: Guest, now: Date): string {
  const { userId, isStored, firstReferrerToken } = guest
  const issued = now.getTime() - (now.getTime() % issuedAtPrecisionMs)
  const referrerClaim =
    isStored || firstReferrerToken === undefined
      ? []
      : [Buffer.from(firstReferrerToken).toString('base64url')]
  const claims = ['g', userId, isStored ? 1 : 0, issued.toString(36), ...referrerClaim].join('.')
  return `${claims}.${macOf(secret, transport, claims)}`
}

/**
 * Reads the guest of a token. Returns null if the token is forged, altered, expired or meant for the other transport.
 */
export function readGuest(secret: string, transport: TokenTransport, token: string, now: Date): Guest | null {
  if (token.length > maxTokenLength) return null
  const end = token.lastIndexOf('.')
  const claims = token.slice(0, end)
  const [kind, userId, stored, issued, referrerClaim] = claims.split('.')
  if (kind !== 'g' || !userId || !issued) return null
  if (!equalsInConstantTime(token.slice(end + 1), macOf(secret, transport, claims))) return null
  const age = now.getTime() - parseInt(issued, 36)
  if (age > maxAgeMs) return null
  return {
    userId,
    isStored: stored === '1',
    firstReferrerToken: referrerClaim && Buffer.from(referrerClaim, 'base64url').toString(),
  }
}

/** A cache of signatures, because a browser sends the same token with every call. */
const macCache = new Map<string, string>()
const maxCachedMacs = 5000

function macOf(secret: string, transport: TokenTransport, claims: string): string {
  const message = `guest|${transport}|${claims}`
  const key = `${secret}|${message}`
  const known = macCache.get(key)
  if (known !== undefined) return known
  const mac = createHmac('sha256', secret).update(message).digest('base64url')
  if (macCache.size >= maxCachedMacs) macCache.clear()
  macCache.set(key, mac)
  return mac
}
