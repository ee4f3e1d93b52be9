import { GatewayRefused } from '#server/features/billing/gateway.ts'

/** Currencies without a smaller unit: Stripe counts them whole, we count hundredths of everything. */
const whole = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
/** Counted in thousandths, of which the last is 0. */
const thousandths = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])
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

/** The smallest amount of a currency that Stripe knows, in our hundredths. */
export function unitOf(currency: string): number {
  return whole.has(currency) || wholeInHundredths.has(currency) ? 100 : 1
}

/** Whether Stripe takes an amount in our hundredths: not less than its minimum, and no fractions where there are none. */
export function isChargeable(cents: number, currency: string): boolean {
  return cents >= (least[currency] ?? 50) && cents % unitOf(currency) === 0
}

/**
 * An amount as Stripe counts it.
 * @throws GatewayRefused for a fraction of the currency's unit
 */
export function toStripe(cents: number, currency: string): number {
  if (cents % unitOf(currency) !== 0) throw new GatewayRefused(`Stripe takes ${currency} without decimals`)
  if (whole.has(currency)) return cents / 100
  return thousandths.has(currency) ? cents * 10 : cents
}

/** An amount of Stripe's in our hundredths. */
export function fromStripe(amount: number, currency: string): number {
  if (whole.has(currency)) return amount * 100
  return thousandths.has(currency) ? Math.round(amount / 10) : amount
}
