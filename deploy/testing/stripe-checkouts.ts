import { expect } from 'vitest'
import { checkOut } from '#bench/billing/run-checkout.ts'
import { startFakeGateways } from '#bench/billing/fake-gateways.ts'
import type { Checkout } from '#deploy/release/simulate-buyers.ts'
import { createStripeGateway } from '#server/features/billing/gateways/stripe/stripe-gateway.ts'
import { systemClock } from '#server/platform/clock.ts'
import { createLog } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import { expectTransactionsBalanced } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import {
  countBillingErrors,
  countRepeatedPurchases,
} from '#server/testing/billing-model/count-billing-errors.ts'
import type { FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/**
 * A buyer whose payment was interrupted gives up after this time, and the next buyer starts. Otherwise, all buyers
 * could wait at the same time until the billing janitor settles their payments. No buyer would then notice that sales
 * are possible again.
 */
const buyerPatienceMs = 20_000
/** Maximum time from the end of an outage to the next sale, if all buyers were interrupted and had to give up. */
export const salesBackWithinMs = buyerPatienceMs + 5_000
const settlesWithinMs = 120_000

/** A fake Stripe with an HTTP API. It sends each webhook event until the site accepts it, and sends some events again. */
export interface StripeCheckouts {
  stripe: FakeStripe
  /** The settings of a site that uses the fake Stripe. */
  env: Record<string, string>
  /** Pays like a browser: repeats failed calls, and reads the order before it pays again. */
  checkOut: Checkout
  /**
   * Checks that each payment at the fake Stripe has one paid order with access and an entry in the ledger. Also checks
   * that each order in `paid` is one of these orders, and that no buyer was charged twice.
   * @param withinMs time within which webhook events and the billing janitor must settle interrupted payments
   * @returns a sentence with the numbers of orders and charges
   */
  expectNothingLost(db: Db, paid: readonly string[], withinMs?: number): Promise<string>
  close(): Promise<void>
}

export async function startStripeCheckouts(siteUrl: string): Promise<StripeCheckouts> {
  const fakes = await startFakeGateways(siteUrl)
  const { stripe } = fakes
  const charges = () => [...stripe.store.intents.values()].filter(({ status }) => status === 'succeeded')
  return {
    stripe,
    env: fakes.env,
    async checkOut({ visitor }, episodeId) {
      const shop = { url: siteUrl, fakes, visitor: () => visitor, timeoutMs: buyerPatienceMs }
      const buyer = { visitor, shop, deadline: Date.now() + buyerPatienceMs }
      const goods = { kind: 'episode', episode_id: episodeId, gateway: 'stripe', method: 'card' } as const
      const sale = await checkOut(buyer, goods)
      if (sale?.status !== 'paid') throw new Error(`the order is ${sale?.status ?? 'missing'}`)
      return sale.orderId
    },
    async expectNothingLost(db, paid, withinMs = settlesWithinMs) {
      const log = createLog({ json: true, level: 'silent' })
      const gateway = createStripeGateway({ ...stripe.settings, db, clock: systemClock, log })
      const sales = paid.map((orderId) => ({ orderId, gateway: 'stripe' as const, status: 'paid' as const }))
      const count = () => countBillingErrors(db, gateway, sales)
      const isSettled = async () => {
        const { lostPayments, paidWithoutEntitlement, ledgerCents, gatewayCents } = await count()
        return lostPayments + paidWithoutEntitlement === 0 && ledgerCents === gatewayCents
      }
      // If the time is up, the comparison below reports the differences.
      await waitUntil('every payment is settled', isSettled, withinMs).catch(() => {})
      const { sales: sold, refunds, ledgerCents, gatewayCents, ...counts } = await count()
      const charged = charges()
      const { lostPayments, paidTwice, paidWithoutEntitlement, entitledWithoutPayment } = counts
      const errors = { lostPayments, paidTwice, paidWithoutEntitlement, entitledWithoutPayment }
      expect(Object.entries(errors).filter(([, number]) => number > 0)).toEqual([])
      expect(ledgerCents).toBe(gatewayCents)
      await expectTransactionsBalanced(db)
      // The fake Stripe records the order of each charge. Each buyer buys one episode. A second charge counts as a double
      // charge even if the site has refunded it.
      const orders = charged.map(({ metadata }) => String(metadata['order_id']))
      expect(orders.filter((id, index) => orders.indexOf(id) < index)).toEqual([])
      expect(paid.filter((id) => !orders.includes(id))).toEqual([])
      expect([await countRepeatedPurchases(db), refunds, sold]).toEqual([0, 0, orders.length])
      return `${paid.length} orders reported as paid, ${sold} in the database, ${charged.length} charges at the fake Stripe.`
    },
    close: () => fakes.close(),
  }
}
