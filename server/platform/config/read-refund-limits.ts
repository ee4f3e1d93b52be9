import { ConfigError } from './config-error.ts'
import { readList, type Env } from './read-env.ts'

/** Maximum total that operators with the role support may refund of an order, in cents of the order's currency. */
export interface RefundLimits {
  defaultCents: number
  /** Limits of the currencies for which `defaultCents` is not suitable. */
  byCurrency: Readonly<Record<string, number>>
}

const fallbackCents = 2000
const maxCurrencies = 50

/** Reads limits such as `2000, JPY:300000`. @throws ConfigError */
export function readRefundLimits(env: Env): RefundLimits {
  const parts = readList(env, 'SUPPORT_REFUND_LIMIT_CENTS', maxCurrencies).map((part) => {
    const [, currency, cents] = /^(?:([A-Z]{3}):)?(\d{1,9})$/.exec(part) ?? []
    if (cents === undefined)
      throw new ConfigError(
        `SUPPORT_REFUND_LIMIT_CENTS must be a whole number of cents, optionally followed by limits of other currencies, such as "2000, JPY:300000"; "${part}" is not a limit.`,
      )
    return { currency, cents: Number(cents) }
  })
  const defaultLimit = parts.find(({ currency }) => currency === undefined)
  const currencyLimits = parts.flatMap(({ currency, cents }) =>
    currency === undefined ? [] : [[currency, cents] as const],
  )
  return {
    defaultCents: defaultLimit?.cents ?? fallbackCents,
    byCurrency: Object.fromEntries(currencyLimits),
  }
}

/** Returns the limit for a currency. */
export function refundLimitFor({ defaultCents, byCurrency }: RefundLimits, currency: string): number {
  return byCurrency[currency] ?? defaultCents
}
