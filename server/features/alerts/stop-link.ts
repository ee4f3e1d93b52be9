import { createHmac, timingSafeEqual } from 'node:crypto'

/** The address in each alert that leads to where they are turned off; the secret is in the fragment, which no server and no log sees. */
export function stopLink(publicUrl: string, secret: string, userId: string): string {
  return `${publicUrl}/my#alerts=${userId}.${macOf(secret, userId)}`
}

/** The user of a link's secret, or undefined. It stays valid: a mail is found again after a year, too. */
export function userOfStopLink(secret: string, given: string): string | undefined {
  const [userId = '', mac = ''] = given.split('.')
  const [one, other] = [Buffer.from(mac), Buffer.from(macOf(secret, userId))]
  return one.length === other.length && timingSafeEqual(one, other) ? userId : undefined
}

const macOf = (secret: string, userId: string) =>
  createHmac('sha256', secret).update(`stop alerts|${userId}`).digest('base64url')
