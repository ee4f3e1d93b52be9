import type { OfferedLanguages } from '#contract/languages.ts'
import type { RateLimits } from '#server/platform/config/config.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import type { ResourceLimits } from '#server/platform/config/read-resource-limits.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { Slots } from '#server/platform/http/limits/concurrency-slots.ts'
import type { OperatorConfig } from '#server/platform/config/read-operator.ts'
import type { Db } from '#server/tables.ts'
import type { LifecycleHooks } from './lifecycle-hooks.ts'

/** The dependencies of the members feature, created once in server/context.ts. */
export interface MembersContext {
  db: Db
  clock: Clock
  /** The clock for TOTP codes, which the sandbox does not move. */
  realClock: Clock
  secret: string
  /** True if the site uses https. Cookies are then secure. */
  isHttps: boolean
  /** The site's public URL, for links in mails. */
  publicUrl: string
  /** The site's name, for authenticator apps. */
  operator: Pick<OperatorConfig, 'site'>
  /** Languages that users can choose, the default first. */
  languages(): OfferedLanguages
  limits: RateLimits
  resourceLimits: ResourceLimits
  concurrencySlots: Slots
  quotas: NetworkQuotas
  lifecycleHooks: LifecycleHooks
}

/** The parts of a call that are needed to identify the caller and to set their tokens. */
export type ViewerCall = Pick<Call, 'viewer' | 'language' | 'setHeader'> &
  // Optional, because the redirect from a social provider does not send the time zone.
  Partial<Pick<Call, 'timeZone'>>

/** A call that signs in or out, or changes an account. */
export type AccountCall = ViewerCall & Pick<Call, 'ip' | 'userAgent'>

/** The parts of a request that may contain tokens. */
export interface TokenSource {
  cookies: Record<string, string | undefined>
  headers: Record<string, string | string[] | undefined>
}

/**
 * Formats a cookie that applies to the whole site and that scripts cannot read. Over https, it is also bound to this
 * host.
 */
export function serializeCookie(isHttps: boolean, name: string, value: string, days: number): string {
  const flags = `Path=/; Max-Age=${days * 86_400}; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`
  return `${cookieName(isHttps, name)}=${value}; ${flags}`
}

/** Deletes a guest's cookie because the guest was registered, merged or deleted. */
export function clearGuestCookie(
  { isHttps }: Pick<MembersContext, 'isHttps'>,
  call: Pick<Call, 'setHeader'>,
): void {
  call.setHeader('set-cookie', serializeCookie(isHttps, 'guest', '', 0))
}

export const cookieName = (isHttps: boolean, name: string) => (isHttps ? `__Host-${name}` : name)
