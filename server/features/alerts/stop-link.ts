import { createHmac, timingSafeEqual } from 'node:crypto'

/** The address in each alert that leads to where they are turned off. */
export function stopLink(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${stopPath(`${userId}.${macOf(secret, userId)}`)}`
}

export const stopPath = (linkSecret: string) => `/my#alerts=${linkSecret}`

/** Where mail programs turn alerts off by one POST (RFC 8058); people who open it come to the page of `stopLink`. */
export const oneClickPath = '/api/user/alerts/unsubscribe'

/** The address in the `List-Unsubscribe` of each alert. Its secret, the same, is in the query, where logs may see it, since mail programs send no fragment; all it does is turn alerts off. */
export function oneClickLink(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}${oneClickPath}?secret=${userId}.${macOf(secret, userId)}`
}

/** The user of a link's secret, or undefined. It stays valid: a mail is found again after a year, too. */
export function userOfStopLink(secret: string, given: string): string | undefined {
  const [userId = '', mac = ''] = given.split('.')
  const [one, other] = [Buffer.from(mac), Buffer.from(macOf(secret, userId))]
  return one.length === other.length && timingSafeEqual(one, other) ? userId : undefined
}

const macOf = (secret: string, userId: string) =>
  createHmac('sha256', secret).update(`stop alerts|${userId}`).digest('base64url')
