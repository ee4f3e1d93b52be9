import { bcp47Tags } from '#contract/languages.ts'
import { toStripeAmount } from '#contract/stripe-amount.ts'
import type { ExpressWallet, WalletSettings } from '#web/features/billing/payments/express-wallet.ts'
import type { Choice } from '#web/features/billing/payments/choices.ts'
import { currentLanguage } from '#web/lib/language.ts'
import { paths } from '#web/lib/paths.ts'
import { createIntentConfirmer } from './confirm-with-stripe.ts'
import { openStripe } from './open-stripe.ts'
import type { DeferredIntent } from './stripe-script.ts'

/**
 * Allows only Apple Pay and Google Pay, which pay with a card. Our server does not request Stripe's other wallets as
 * payment methods.
 */
const wallets = { link: 'never', amazonPay: 'never', paypal: 'never', klarna: 'never' }

/**
 * Mounts Stripe's Express Checkout Element. The payment intent is created only after the user approves the payment in
 * the sheet.
 */
export async function openStripeWallet({
  container,
  choice: initialChoice,
  events,
}: WalletSettings): Promise<ExpressWallet> {
  let choice = initialChoice
  let isConfirming = false
  const stripe = await openStripe()
  const elements = stripe.elements({
    ...intentOf(choice),
    locale: bcp47Tags[currentLanguage()],
    appearance: { theme: 'night', variables: { borderRadius: '26px' } },
  })
  const submit = createIntentConfirmer(async (clientSecret) => {
    const { error } = await elements.submit()
    if (error) return { error }
    const confirmParams = { return_url: new URL('/order/result', location.href).href }
    isConfirming = true
    return stripe.confirmPayment({ elements, clientSecret, confirmParams, redirect: 'if_required' })
  })
  const element = elements.create('expressCheckout', {
    buttonHeight: 52,
    buttonTheme: { applePay: 'white', googlePay: 'white' },
    buttonType: { applePay: 'plain', googlePay: 'plain' },
    layout: { maxColumns: 2, maxRows: 1, overflow: 'never' },
    paymentMethods: wallets,
    emailRequired: true,
  })
  element.on('ready', ({ availablePaymentMethods }) => events.ready(availablePaymentMethods !== undefined))
  element.on('loaderror', () => events.failed())
  element.on('click', ({ resolve }) => events.click({ resolve: () => resolve(sheetOptions(choice)) }))
  element.on('cancel', () => events.cancel())
  element.on('confirm', ({ billingDetails, paymentFailed }) => {
    isConfirming = false
    events.confirm({
      billingDetails,
      // Once the confirmation has started, Stripe itself shows the outcome in the sheet.
      paymentFailed: () => isConfirming || paymentFailed({ reason: 'fail' }),
      finish() {},
      entry: { check: () => true, submit },
    })
  })
  element.mount(container)
  return {
    change(next) {
      choice = next
      elements.update(intentOf(next))
    },
    // Only the user can close the sheet of a wallet.
    cancel() {},
    focus() {},
    remove: () => element.destroy(),
  }
}

/**
 * Returns the intent for a choice. The first period of a plan is a payment that also saves the card. The site, not
 * Stripe, renews the plan.
 */
function intentOf({ kind, cents, currency }: Choice): DeferredIntent {
  return {
    mode: 'payment',
    amount: toStripeAmount(cents, currency),
    currency: currency.toLowerCase(),
    setupFutureUsage: kind === 'plan' ? 'off_session' : null,
    paymentMethodTypes: ['card'],
  }
}

/** Returns the options of the sheet: the e-mail address for the receipt, the item, and the renewal of a plan. */
function sheetOptions(choice: Choice): object {
  const { name, cents, currency } = choice
  const lineItems = [{ name, amount: toStripeAmount(cents, currency) }]
  return { emailRequired: true, lineItems, ...renewalOf(choice) }
}

const maxAgreementLength = 500

/** Returns Apple Pay's agreement about the renewals. With it, the saved card stays valid if the user changes phones. */
function renewalOf({ name, terms, currency, cents, renews }: Choice): object {
  if (!renews) return {}
  const { days } = renews
  const introEndsAt = new Date(Date.now() + days * 86_400_000)
  const hasIntro = cents !== renews.cents
  const regular = {
    amount: toStripeAmount(renews.cents, currency),
    label: name,
    recurringPaymentIntervalUnit: 'day',
    recurringPaymentIntervalCount: days,
    ...(hasIntro ? { recurringPaymentStartDate: introEndsAt } : {}),
  }
  const intro = { amount: toStripeAmount(cents, currency), label: name, recurringPaymentEndDate: introEndsAt }
  const recurringPaymentRequest = {
    paymentDescription: name,
    managementURL: new URL(paths.my.to(), location.href).href,
    billingAgreement: terms.slice(0, maxAgreementLength),
    regularBilling: regular,
    ...(hasIntro ? { trialBilling: intro } : {}),
  }
  return { applePay: { recurringPaymentRequest } }
}
