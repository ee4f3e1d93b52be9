import { quotaSettings } from '#server/platform/config/read-quotas.ts'

/** A rate limit that no test or bench reaches. */
export const unlimited = '999999999/s'

/** Settings that disable the quotas per network, because all clients of a test have the same IP address. */
export const unlimitedQuotas: Record<string, string> = Object.fromEntries(
  quotaSettings.map((name) => [name, unlimited]),
)
