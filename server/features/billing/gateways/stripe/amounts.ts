import { toStripeAmount, threeDecimalCurrencies, zeroDecimalCurrencies } from '#contract/stripe-amount.ts'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'

/** Currencies without decimals whose amounts Stripe counts in hundredths for backward compatibility. */
const wholeInHundredths = new Set(['ISK', 'UGX'])

/** Stripe's minimum amounts, in hundredths of the currency. The default is 50 times the smallest unit. */
const minimumCents: Record<string, number> = {
  AED: 200,
  BGN: 100,
  CZK: 1500,
  DKK: 250,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  PLN: 200,
  RON: 200,
  SEK: 300,
  THB: 1000,
}

/** Stripe's maximum amount in its own units: eight digits (https://docs.stripe.com/currencies). */
const maxUnits = 99_999_999

/** Returns the smallest unit of a currency at Stripe, in hundredths of the currency. */
export function smallestUnitOf(currency: string): number {
  return zeroDecimalCurrencies.has(currency) || wholeInHundredths.has(currency) ? 100 : 1
}

/**
 * Returns whether Stripe accepts an amount in hundredths: it must be within Stripe's limits and a multiple of the unit.
 */
export function acceptsAmount(cents: number, currency: string): boolean {
  const unit = smallestUnitOf(currency)
  if (cents < (minimumCents[currency] ?? 50 * unit) || cents % unit !== 0) return false
  return toStripe(cents, currency) <= maxUnits
}

/** Converts an amount in hundredths to Stripe's units. @throws GatewayRefused for a fraction of the currency's unit */
export function toStripe(cents: number, currency: string): number {
  if (cents % smallestUnitOf(currency) !== 0)
    throw new GatewayRefused(`Stripe accepts ${currency} only without decimals`)
  return toStripeAmount(cents, currency)
}

/** Converts Stripe's amount to hundredths of the currency. */
export function fromStripe(amount: number, currency: string): number {
  if (zeroDecimalCurrencies.has(currency)) return amount * 100
  return threeDecimalCurrencies.has(currency) ? Math.round(amount / 10) : amount
}
