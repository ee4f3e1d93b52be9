import { createHmac, timingSafeEqual } from 'node:crypto'

/** Returns the address of the page that turns alerts off, for each mail. */
export function unsubscribePageUrl(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${unsubscribePagePath(`${userId}.${macOf(secret, userId)}`)}`
}

export const unsubscribePagePath = (linkSecret: string) => `/my#alerts=${linkSecret}`

/** The path to which mail programs POST to turn alerts off (RFC 8058); a browser is redirected to `unsubscribePagePath`. */
export const oneClickUnsubscribePath = '/api/user/alerts/unsubscribe'

/**
 * Returns the address for the `List-Unsubscribe` header. Mail programs send no fragment, so the secret of `unsubscribePageUrl` is in
 * the query here, where logs may contain it: it can only turn alerts off.
 */
export function oneClickUnsubscribeUrl(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${oneClickUnsubscribePath}?secret=${userId}.${macOf(secret, userId)}`
}

/** Returns the user of a link's secret, or undefined. The secret does not expire: links in old mails must work too. */
export function verifyUnsubscribeSecret(secret: string, linkSecret: string): string | undefined {
  const [userId = '', mac = ''] = linkSecret.split('.')
  const [one, other] = [Buffer.from(mac), Buffer.from(macOf(secret, userId))]
  return one.length === other.length && timingSafeEqual(one, other) ? userId : undefined
}

const macOf = (secret: string, userId: string) =>
  createHmac('sha256', secret).update(`stop alerts|${userId}`).digest('base64url')
