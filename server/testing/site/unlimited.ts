import { quotaSettings } from '#server/platform/config/read-quotas.ts'

/** A limit that no test or benchmark reaches. */
export const unlimited = '999999999/s'

/** Settings that lift the quotas of a network, because all clients of a test have the same address. */
export const unlimitedQuotas: Record<string, string> = Object.fromEntries(
  quotaSettings.map((name) => [name, unlimited]),
)
