import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrder, getSavedPaymentMethod } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { runConcurrently } from '#server/testing/run-concurrently.ts'
import { simulateCrashInBilling } from '#server/testing/crash/crash-in-billing.ts'
import { episodeIdOf, startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import type { CrashPoint } from '#server/testing/crash/crashing-pool.ts'
import { orderCall } from '#server/testing/builders/order-call.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { runIdempotently } from '#server/features/billing/checkout/idempotency.ts'
import { createOrderFor } from '#server/features/billing/checkout/create-order.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

const key = 'one press'
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
  // The site's clock is ahead, so unknown payments of a crashed process are too old to block a retry.
  site.advanceClock(120_000)
})
afterAll(() => site.close())

/** Creates a shopper with a saved card, and a request that buys another episode with the card. */
async function readyToPress() {
  const shopper = await Shopper.create(site)
  await shopper.buy({ episode_id: episodeIdOf(site, 4), save_method: { terms_text: 'Save this card' } })
  const { saved_method } = await shopper.visitor.callOk(getSavedPaymentMethod)
  const { id: userId } = await shopper.visitor.callOk(getUser)
  const body = {
    kind: 'episode',
    gateway: 'sandbox',
    email: shopper.email,
    episode_id: episodeIdOf(site, 5),
    saved_method_id: saved_method?.id ?? '',
  } as const
  return { shopper, userId, body }
}

/** Handles the request in this process until the simulated crash. */
function purchaseUntilCrash(
  crashPoint: CrashPoint,
  { userId, body }: Awaited<ReturnType<typeof readyToPress>>,
) {
  const request = { userId, key, path: createOrder.path, body, now: new Date() }
  return simulateCrashInBilling(site.databaseUrl, crashPoint, async (context) => {
    await runIdempotently(context.db, request, (id) => createOrderFor(context, orderCall(userId, body), id))
  })
}

/** Simulates that the lease of the crashed process has expired. */
const expireLease = (userId: string) =>
  site.context.db
    .updateTable('idempotency_keys')
    .set({ lease_expires_at: new Date(0) })
    .where('user_id', '=', userId)
    .execute()

test(
  'a purchase with a saved card makes one order and one charge if the process dies around a commit and the client retries',
  { timeout: 600_000 },
  async () => {
    const { commits } = await purchaseUntilCrash({ when: 'never', at: 0 }, await readyToPress())
    expect(commits.length).toBeGreaterThan(2)
    const crashPoints = commits.flatMap((at): CrashPoint[] =>
      [at, at + 1].map((one) => ({ when: 'before', at: one })),
    )
    await runConcurrently(crashPoints, async (crashPoint) => {
      const ready = await readyToPress()
      const { shopper, userId, body } = ready
      expect(await purchaseUntilCrash(crashPoint, ready)).toMatchObject({ crashed: true })
      await expireLease(userId)
      const again = await shopper.tryOrder(body, { 'idempotency-key': key })
      expect(again).toMatchObject({ code: 200, info: { status: 'paid' } })
      const orders = site.context.db.selectFrom('orders').select('id').where('user_id', '=', userId)
      const [order, ...others] = await orders.where('saved_method_id', 'is not', null).execute()
      expect({ order, others }).toEqual({ order: { id: again.info?.id }, others: [] })
      const payments = await listAllPayments(site.sandboxGateway)
      expect(payments.filter(({ orderId }) => orderId === order?.id)).toMatchObject([
        { status: 'succeeded', refundedCents: 0 },
      ])
    })
  },
)
