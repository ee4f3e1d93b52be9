import { afterAll, beforeAll } from 'vitest'
import type { PaymentGateway } from '#server/features/billing/gateway.ts'
import { describeGateway, type Behaviour } from '#server/features/billing/gateways/describe-gateway.ts'
import { systemClock } from '#server/platform/clock.ts'
import { createLog } from '#server/platform/log.ts'
import type { Funding } from './fake-orders.ts'
import { FakePaypal } from './fake-paypal.ts'
import { createPaypalGateway } from './paypal-gateway.ts'

let paypal: FakePaypal
let gateway: PaymentGateway

beforeAll(async () => {
  paypal = await FakePaypal.start()
  const { PAYPAL_CLIENT_ID: clientId, PAYPAL_CLIENT_SECRET: clientSecret, PAYPAL_WEBHOOK_ID } = paypal.keys
  gateway = createPaypalGateway({
    settings: { clientId, clientSecret, webhookId: PAYPAL_WEBHOOK_ID, apiBase: paypal.url },
    publicUrl: 'http://localhost:3000',
    clock: systemClock,
    log: createLog({ json: true, level: 'silent' }),
  })
})
afterAll(() => paypal.close())

const fundings: Partial<Record<Behaviour, Funding>> = {
  pays: 'pays',
  declined: 'declined',
  'declines later': 'pays once',
}
const fiveDaysMs = 5 * 86_400_000

describeGateway(
  'paypal',
  {
    method: 'wallet',
    asksBy: 'redirect',
    declines: { declined: 'wallet_declined' },
    declinesLater: { 'declines later': 'wallet_declined' },
    kept: { brand: 'paypal', last4: null },
    hasLine: true,
    notifications: ['forged', 'stale', 'altered'],
    // PayPal cannot look for an order, and cannot be told that one was called off (docs/decisions/0010).
    forgetsUnpaid: true,
  },
  () => ({
    gateway,
    async pay(charge, behaviour) {
      const waiting = await gateway.start(charge)
      const funding = fundings[behaviour]
      if (funding === undefined) return waiting
      paypal.orders.approve(waiting.reference, funding)
      return (await gateway.complete(waiting.reference)) ?? waiting
    },
    async answer(reference, answer) {
      if (answer === 'yes') paypal.orders.approve(reference)
    },
    notification(reference, kind) {
      const event = paypal.events.find(({ resource }) => JSON.stringify(resource).includes(reference)) ?? {}
      const { body, headers } = paypal.signed(event, {
        ...(kind === 'stale' ? { at: new Date(Date.now() - fiveDaysMs) } : {}),
        ...(kind === 'forged' ? { signer: 'somebody else' } : {}),
      })
      return { body: kind === 'altered' ? Buffer.from(`${body} `) : body, headers }
    },
    fail(fault) {
      paypal.trouble = {
        on: /^POST \/v2\/(checkout\/orders$|payments\/captures\/.*\/refund$)/,
        with: [fault],
      }
      return () => paypal.recover()
    },
  }),
)
