import { createHmac, timingSafeEqual } from 'node:crypto'
import { foldEmail } from '#server/platform/email-address.ts'
import type { Call } from '#server/platform/http/route.ts'
import { newSecret } from '#server/platform/config/secrets.ts'
import { cookieFor, cookieName, type MembersContext } from '#server/features/members/members-context.ts'

/** Separates members' from operators' accounts. */
type Area = 'device' | 'operator_device'
type DeviceContext = Pick<MembersContext, 'secret' | 'secure'>

const deviceDays = 400

/** Sets a cookie that records a sign-in to this account from this browser. */
export function rememberDevice(
  { secret, secure }: DeviceContext,
  call: Pick<Call, 'setHeader'>,
  area: Area,
  email: string,
): void {
  const id = newSecret()
  const value = `${id}.${macOf(secret, area, email, id)}`
  call.setHeader('set-cookie', cookieFor(secure, area, value, deviceDays))
}

/**
 * Returns the device id of a browser for an account, if the account was used in it before. Its attempts are counted apart from all
 * others, so that nobody can lock a member out of their own browser (OWASP, "Device Cookies").
 */
export function knownDevice(
  { secret, secure }: DeviceContext,
  call: Pick<Call, 'cookie'>,
  area: Area,
  email: string,
): string | undefined {
  const [id = '', mac = ''] = call.cookie(cookieName(secure, area))?.split('.') ?? []
  const [given, genuine] = [Buffer.from(mac), Buffer.from(macOf(secret, area, email, id))]
  return given.length === genuine.length && timingSafeEqual(given, genuine) ? id : undefined
}

function macOf(secret: string, area: Area, email: string, id: string): string {
  return createHmac('sha256', secret)
    .update(`${area}|${foldEmail(email)}|${id}`)
    .digest('base64url')
}
