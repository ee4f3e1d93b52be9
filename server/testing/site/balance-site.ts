import { Value } from 'typebox/value'
import { getBalance } from '#contract/balance.ts'
import { Offer, type Order } from '#contract/billing.ts'
import { getEpisode } from '#contract/media.ts'
import type { Balance } from '#contract/top-ups.ts'
import { simulateDispute } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import type { DisputeStatus } from '#server/features/billing/tables.ts'
import type { Env } from '#server/platform/config/read-env.ts'
import { newId } from '#server/platform/ids.ts'
import { expectBalancesConsistent } from '#server/testing/billing-model/expect-balances.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import type { Envelope } from './visitor.ts'
import {
  episodeIdOf,
  expectLedgerBalanced,
  applySandboxWebhook,
  startBillingSite,
  paymentOf,
  type BillingSite,
} from './billing-site.ts'

/** Starts a site for tests about money, with the prepaid balance enabled. */
export const balanceSite = (settings: Env = {}): Promise<BillingSite> =>
  startBillingSite({ PREPAID_BALANCE: 'on', ...settings })

/**
 * Checks that the site's ledger agrees with the gateway, and that the invariants of balances hold. Call it after each
 * test.
 */
export async function expectLedgerAndBalances(site: BillingSite): Promise<void> {
  await expectLedgerBalanced(site)
  await expectBalancesConsistent(site.context.db)
}

/** Terms of a top-up: its price, its bonus, and the number of days until the bonus expires. */
type TopUpTerms = readonly [price_cents: number, bonus_cents?: number, bonus_days?: number | null]

/** Creates a top-up. @returns its id */
export async function createTopUpProduct(
  site: BillingSite,
  ...[price_cents, bonus_cents = 0, bonus_days = null]: TopUpTerms
): Promise<string> {
  const id = newId('top')
  const row = { id, price_cents, bonus_cents, bonus_days, currency: 'USD' }
  await site.context.db.insertInto('top_up_products').values(row).execute()
  return id
}

/** Buys an existing top-up, or creates one with these terms and buys it. */
export async function purchaseTopUp(
  site: BillingSite,
  shopper: Shopper,
  product: string | TopUpTerms,
): Promise<Order> {
  const top_up_id = typeof product === 'string' ? product : await createTopUpProduct(site, ...product)
  return paid(await shopper.buy({ kind: 'top_up', top_up_id }))
}

/** Creates a shopper with a balance, by default of five dollars. */
export async function createShopperWithBalance(
  site: BillingSite,
  product: string | TopUpTerms = [500],
): Promise<{ shopper: Shopper; topUp: Order }> {
  const shopper = await Shopper.create(site)
  return { shopper, topUp: await purchaseTopUp(site, shopper, product) }
}

/** Tries to unlock an episode of 99 cents from the balance. */
export const tryUnlockFromBalance = (
  site: BillingSite,
  shopper: Shopper,
  number = 4,
  headers: Record<string, string> = {},
): Promise<Envelope<Order>> =>
  shopper.tryOrder(
    { episode_id: episodeIdOf(site, number), gateway: 'balance', amount_cents: 99, email: undefined },
    headers,
  )

/** Unlocks an episode from the balance. @throws Error if the order is not paid */
export const unlockFromBalance = async (site: BillingSite, shopper: Shopper, number = 4): Promise<Order> =>
  paid(await tryUnlockFromBalance(site, shopper, number))

function paid(answer: Envelope<Order>): Order {
  if (answer.info?.status !== 'paid') throw new Error(`the order was not paid: ${JSON.stringify(answer)}`)
  return answer.info
}

/** Returns a shopper's balance; undefined if there is none. */
export const balanceOf = async ({ visitor }: Shopper): Promise<Balance | undefined> =>
  (await visitor.callOk(getBalance)).balances[0]

/** Returns the offer that a shopper gets for a locked episode. */
export async function offerOf(site: BillingSite, { visitor }: Shopper, number = 4): Promise<Offer> {
  const query = { episode_id: episodeIdOf(site, number) }
  const { info }: { info?: unknown } = (await visitor.call(getEpisode, { query })).answer
  if (!Value.Check(Offer, info)) throw new Error(`the response contains no offer: ${JSON.stringify(info)}`)
  return info
}

/** Changes the dispute about an order's payment, and sends the sandbox's webhook event. */
export async function setDisputeStatus(
  site: BillingSite,
  { id }: Order,
  status: DisputeStatus,
): Promise<void> {
  const { db, clock, secret } = site.context
  const { reference } = await paymentOf(site, id)
  await simulateDispute({ db, clock, secret, notify: () => {} }, reference, status)
  await applySandboxWebhook(site, reference)
}
