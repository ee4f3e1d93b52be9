import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'

export interface PaypalMoney {
  currency_code: string
  value: string
}

/** Currencies without decimals at PayPal (https://developer.paypal.com/api/rest/reference/currency-codes/). */
const zeroDecimalCurrencies = new Set(['HUF', 'JPY', 'TWD'])

/** Currencies that PayPal supports (source: the same page). */
const supportedCurrencies = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD'.split(
    ' ',
  ),
)

/** Returns the smallest unit of a currency at PayPal, in hundredths of the currency. */
export const smallestUnitOf = (currency: string): number => (zeroDecimalCurrencies.has(currency) ? 100 : 1)

/**
 * Returns whether PayPal accepts an amount in hundredths. Its currency must be supported, and the amount must be a
 * multiple of the currency's unit.
 */
export function acceptsAmount(cents: number, currency: string): boolean {
  return supportedCurrencies.has(currency) && cents > 0 && cents % smallestUnitOf(currency) === 0
}

/**
 * Converts an amount to PayPal's decimal string.
 * @param cents hundredths of the currency, even if it has no decimals
 * @throws GatewayRefused if the amount has decimals, but PayPal uses none for the currency
 */
export function toPaypal(cents: number, currency: string): PaypalMoney {
  if (!zeroDecimalCurrencies.has(currency))
    return { currency_code: currency, value: (cents / 100).toFixed(2) }
  if (cents % 100 !== 0) throw new GatewayRefused(`PayPal accepts ${currency} only without decimals`)
  return { currency_code: currency, value: String(cents / 100) }
}

/** Converts PayPal's decimal string to hundredths. @throws Error for an unreadable amount */
export function fromPaypal({ value }: PaypalMoney): number {
  const cents = Math.round(Number(value) * 100)
  if (!Number.isSafeInteger(cents)) throw new Error(`PayPal returned the unreadable amount ${value}`)
  return cents
}
