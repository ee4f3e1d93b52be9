import { stripeUnits, thousandths, wholeCurrencies } from '#contract/stripe-units.ts'
import { GatewayRefused } from '#server/features/billing/gateways/gateway.ts'

/** Counted in hundredths for the sake of old callers, and whole all the same. */
const wholeInHundredths = new Set(['ISK', 'UGX'])

/** The least that Stripe takes, in hundredths; 50 where nothing else is said. */
const least: Record<string, number> = {
  AED: 200,
  BGN: 100,
  CZK: 1500,
  DKK: 250,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  JPY: 5000,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  PLN: 200,
  RON: 200,
  SEK: 300,
  THB: 1000,
}

/** The most that Stripe takes, as it counts: eight digits (https://docs.stripe.com/currencies, "Minimum and maximum charge amounts"). */
const mostUnits = 99_999_999

/** The smallest amount of a currency that Stripe knows, in our hundredths. */
export function unitOf(currency: string): number {
  return wholeCurrencies.has(currency) || wholeInHundredths.has(currency) ? 100 : 1
}

/** Whether Stripe takes an amount in our hundredths: within its limits, and no fractions where there are none. */
export function isChargeable(cents: number, currency: string): boolean {
  if (cents < (least[currency] ?? 50) || cents % unitOf(currency) !== 0) return false
  return toStripe(cents, currency) <= mostUnits
}

/**
 * An amount as Stripe counts it.
 * @throws GatewayRefused for a fraction of the currency's unit
 */
export function toStripe(cents: number, currency: string): number {
  if (cents % unitOf(currency) !== 0) throw new GatewayRefused(`Stripe takes ${currency} without decimals`)
  return stripeUnits(cents, currency)
}

/** An amount of Stripe's in our hundredths. */
export function fromStripe(amount: number, currency: string): number {
  if (wholeCurrencies.has(currency)) return amount * 100
  return thousandths.has(currency) ? Math.round(amount / 10) : amount
}
