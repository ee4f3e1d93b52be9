import { createHmac } from 'node:crypto'
import { equalsInConstantTime } from '#server/platform/equals-in-constant-time.ts'

/** Returns the address of the page that turns e-mail alerts off. Each alert mail links to it. */
export function unsubscribePageUrl(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${unsubscribePagePath(`${userId}.${macOf(secret, userId)}`)}`
}

export const unsubscribePagePath = (linkSecret: string) => `/my#alerts=${linkSecret}`

/**
 * Path to which mail programs POST to turn e-mail alerts off (RFC 8058). A GET by a browser is redirected to
 * `unsubscribePagePath`.
 */
export const oneClickUnsubscribePath = '/api/user/alerts/unsubscribe'

/**
 * Returns the address for the `List-Unsubscribe` header. The secret is in the query, because mail programs do not send
 * a URL fragment. So logs may contain the secret, but it can only turn alerts off.
 */
export function oneClickUnsubscribeUrl(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${oneClickUnsubscribePath}?secret=${userId}.${macOf(secret, userId)}`
}

/**
 * Returns the user of a link's secret; undefined if the secret is invalid. The secret does not expire, because links in
 * old mails must work too.
 */
export function verifyUnsubscribeSecret(secret: string, linkSecret: string): string | undefined {
  const [userId = '', mac = ''] = linkSecret.split('.')
  return equalsInConstantTime(mac, macOf(secret, userId)) ? userId : undefined
}

const macOf = (secret: string, userId: string) =>
  createHmac('sha256', secret).update(`stop alerts|${userId}`).digest('base64url')
