import { createHmac, timingSafeEqual } from 'node:crypto'

/** Returns the address of the page that turns alerts off, for each mail. */
export function unsubscribePageUrl(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${unsubscribePagePath(`${userId}.${macOf(secret, userId)}`)}`
}

export const unsubscribePagePath = (linkSecret: string) => `/my#alerts=${linkSecret}`

/** The path to which mail programs POST to turn alerts off (RFC 8058); a browser that opens it gets the page of `stopLink`. */
export const oneClickUnsubscribePath = '/api/user/alerts/unsubscribe'

/**
 * Returns the address for the `List-Unsubscribe` header. Mail programs send no fragment, so its secret, the same, is in the query,
 * where logs may see it: all it does is turn alerts off.
 */
export function oneClickUnsubscribeUrl(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${oneClickUnsubscribePath}?secret=${userId}.${macOf(secret, userId)}`
}

/** Returns the user of a link's secret, or undefined. It does not expire, because mails are found again years later. */
export function verifyUnsubscribeSecret(secret: string, linkSecret: string): string | undefined {
  const [userId = '', mac = ''] = linkSecret.split('.')
  const [one, other] = [Buffer.from(mac), Buffer.from(macOf(secret, userId))]
  return one.length === other.length && timingSafeEqual(one, other) ? userId : undefined
}

const macOf = (secret: string, userId: string) =>
  createHmac('sha256', secret).update(`stop alerts|${userId}`).digest('base64url')
