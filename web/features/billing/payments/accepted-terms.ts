import type { Translate } from '#web/i18n/index.ts'
import { money } from '#web/lib/format-money.ts'
import type { Choice } from './choices.ts'

/**
 * Returns the terms of a choice for the pay panel. If the purchase has no order form, they include the text about the
 * right of withdrawal that the form would show.
 */
export function panelTerms(t: Translate, { kind, terms }: Choice, withoutForm: boolean): string {
  // The terms of a top-up already include the text about withdrawal.
  const withdrawal = withoutForm && kind !== 'top_up'
  const parts = [terms, kind === 'plan' && t('pay.cancelAnyTime'), withdrawal && t('order.withdrawal')]
  return parts.filter(Boolean).join(' ')
}

/** Returns the order fields with the price shown to the user. The server refuses the order if the price has changed. */
export const acceptedPriceFields = ({ cents, bonusCents }: Pick<Choice, 'cents' | 'bonusCents'>) =>
  bonusCents === undefined ? { amount_cents: cents } : { amount_cents: cents, bonus_cents: bonusCents }

/** Returns the text beside a button, which the user accepts by pressing the button. */
export function acceptedTextOf(
  { name, text, cents, currency }: Choice,
  terms: string,
  label: (price: string) => string,
): string {
  return joinAcceptedText({ name, text }, terms, label(money(cents, currency)))
}

/** Joins a product, its terms and the button's label. The product's text may lack a period at its end. */
export function joinAcceptedText(
  { name, text }: Pick<Choice, 'name' | 'text'>,
  terms: string,
  label: string,
): string {
  return `${name}: ${text.replace(/(?<![.!?…])$/, '.')} ${terms} [${label}]`
}

/** Returns a function that creates the label of the pay button for a price. */
export function payLabel(
  t: Translate,
  { kind, owed }: Pick<Choice, 'kind' | 'owed'>,
): (price: string) => string {
  return (price) => t(kind === 'plan' && !owed ? 'pay.subscribe' : 'pay.pay', { price })
}

/**
 * Returns a function that creates the label of an express wallet's button for a price. Only the accepted text contains
 * this label: the button itself shows the wallet's own name.
 */
export function expressLabel(t: Translate): (price: string) => string {
  return (price) => t('pay.payWith', { price, card: t('pay.wallet') })
}
