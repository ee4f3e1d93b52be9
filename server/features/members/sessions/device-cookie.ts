import { createHmac } from 'node:crypto'
import { equalsInConstantTime } from '#server/platform/equals-in-constant-time.ts'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Call } from '#server/platform/http/route.ts'
import { newSecret } from '#server/platform/link-secrets.ts'
import { serializeCookie, cookieName, type MembersContext } from '#server/features/members/members-context.ts'

/** Name of the device cookie, which is different for members and operators. */
type DeviceScope = 'device' | 'operator_device'
type DeviceContext = Pick<MembersContext, 'secret' | 'isHttps'>

const deviceDays = 400

/** Sets a cookie that records that this account was used in this browser. */
export function rememberDevice(
  { secret, isHttps }: DeviceContext,
  call: Pick<Call, 'setHeader'>,
  scope: DeviceScope,
  email: string,
): void {
  const id = newSecret()
  const value = `${id}.${macOf(secret, scope, email, id)}`
  call.setHeader('set-cookie', serializeCookie(isHttps, scope, value, deviceDays))
}

/**
 * Returns the device id of a browser for an account, if the account was used in that browser before. Login attempts of
 * such a browser are counted separately. So nobody can lock a member out of the member's own browser (OWASP, "Device
 * Cookies").
 */
export function findKnownDevice(
  { secret, isHttps }: DeviceContext,
  call: Pick<Call, 'cookie'>,
  scope: DeviceScope,
  email: string,
): string | undefined {
  const [id = '', mac = ''] = call.cookie(cookieName(isHttps, scope))?.split('.') ?? []
  return equalsInConstantTime(mac, macOf(secret, scope, email, id)) ? id : undefined
}

function macOf(secret: string, scope: DeviceScope, email: string, id: string): string {
  return createHmac('sha256', secret)
    .update(`${scope}|${emailLookupKey(email)}|${id}`)
    .digest('base64url')
}
