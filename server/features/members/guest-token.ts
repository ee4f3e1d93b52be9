import { createHmac, timingSafeEqual } from 'node:crypto'

/** How a token travels; one that was made for the cookie is worth nothing in the header, and the other way round. */
export type Carrier = 'cookie' | 'header'

export interface Guest {
  userId: string
  /** Whether something is kept for the guest, so that it has a row. */
  kept: boolean
}

/** Guests are known for 400 days (security.md, "Sessions"). */
export const guestDays = 400
const maxAgeMs = guestDays * 86_400_000

/** A guest's signed token. It costs no row: the id it holds becomes the row's once something is kept. */
export function signGuest(secret: string, carrier: Carrier, { userId, kept }: Guest, now: Date): string {
  const claims = `g.${userId}.${kept ? 1 : 0}.${now.getTime().toString(36)}`
  return `${claims}.${macOf(secret, carrier, claims)}`
}

/** The guest of a token, or null where it is not ours, was altered, is too old or came by the other carrier. */
export function readGuest(secret: string, carrier: Carrier, token: string, now: Date): Guest | null {
  const end = token.lastIndexOf('.')
  const claims = token.slice(0, end)
  const [kind, userId, kept, issued] = claims.split('.')
  if (kind !== 'g' || !userId || !issued || !isGenuine(secret, carrier, token, end)) return null
  const age = now.getTime() - parseInt(issued, 36)
  return age <= maxAgeMs ? { userId, kept: kept === '1' } : null
}

/** Tokens that were found genuine, and for which key and carrier: a browser sends the same one with every call. */
const genuine = new Map<string, { secret: string; carrier: Carrier }>()
const mostKnown = 5000

function isGenuine(secret: string, carrier: Carrier, token: string, end: number): boolean {
  const known = genuine.get(token)
  if (known?.secret === secret && known.carrier === carrier) return true
  if (!sameText(token.slice(end + 1), macOf(secret, carrier, token.slice(0, end)))) return false
  if (genuine.size >= mostKnown) genuine.clear()
  genuine.set(token, { secret, carrier })
  return true
}

function macOf(secret: string, carrier: Carrier, claims: string): string {
  return createHmac('sha256', secret).update(`guest|${carrier}|${claims}`).digest('base64url')
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
