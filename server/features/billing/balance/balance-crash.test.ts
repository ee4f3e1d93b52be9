import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createOrder } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { runIdempotently } from '#server/features/billing/checkout/idempotency.ts'
import { createOrderFor } from '#server/features/billing/checkout/create-order.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { orderCall } from '#server/testing/builders/order-call.ts'
import type { Shopper } from '#server/testing/builders/shopper.ts'
import { runConcurrently } from '#server/testing/run-concurrently.ts'
import { crashPointsBeforeEach, simulateCrashInBilling } from '#server/testing/crash/crash-in-billing.ts'
import type { CrashPoint } from '#server/testing/crash/crashing-pool.ts'
import {
  balanceOf,
  balanceSite,
  expectLedgerAndBalances,
  createShopperWithBalance,
} from '#server/testing/site/balance-site.ts'
import { episodeIdOf, playbackCode, refundsOf, type BillingSite } from '#server/testing/site/billing-site.ts'

const key = 'one press'
const hour = 3_600_000
let site: BillingSite

beforeAll(async () => {
  site = await balanceSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerAndBalances(site))

/** Creates a shopper with a balance of five dollars, and a purchase request that spends part of it. */
async function readyToPress() {
  const { shopper, topUp } = await createShopperWithBalance(site)
  const { id: userId } = await shopper.visitor.callOk(getUser)
  const body = { kind: 'episode', gateway: 'balance', episode_id: episodeIdOf(site, 4) } as const
  return { shopper, topUpId: topUp.id, userId, body }
}

type Ready = Awaited<ReturnType<typeof readyToPress>>

/** Handles the request in this process until the simulated crash. */
function purchaseUntilCrash(crashPoint: CrashPoint, { userId, body }: Ready) {
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

const availableTo = async (shopper: Shopper) => (await balanceOf(shopper))?.available_cents

test(
  'a purchase makes one order and one charge if the process dies at any statement and the client retries',
  { timeout: 600_000 },
  async () => {
    const whole = await purchaseUntilCrash({ when: 'never', at: 0 }, await readyToPress())
    await runConcurrently(crashPointsBeforeEach(whole), async (crashPoint) => {
      const ready = await readyToPress()
      const { shopper, userId, body } = ready
      expect(await purchaseUntilCrash(crashPoint, ready)).toMatchObject({ crashed: true })
      await expireLease(userId)
      const again = await shopper.tryOrder({ ...body, email: undefined }, { 'idempotency-key': key })
      expect(again).toMatchObject({ code: 200, info: { status: 'paid' } })
      const orders = site.context.db.selectFrom('orders').select('id').where('user_id', '=', userId)
      expect(await orders.where('gateway', '=', 'balance').execute()).toEqual([{ id: again.info?.id }])
      expect(await availableTo(shopper)).toBe(401)
      expect(await playbackCode(site, shopper)).toBe(200)
    })
  },
)

test(
  'a top-up is refunded at most once if the process dies before or after a commit, and the balance matches the refund',
  { timeout: 600_000 },
  async () => {
    const refundUntil = (crashPoint: CrashPoint, orderId: string) =>
      simulateCrashInBilling(site.databaseUrl, crashPoint, async (context) => {
        await refundOrder(context, orderId, { reason: 'asked for it' })
      })
    const { commits } = await refundUntil({ when: 'never', at: 0 }, (await readyToPress()).topUpId)
    const crashPoints = commits.flatMap((at): CrashPoint[] =>
      [at, at + 1].map((one) => ({ when: 'before', at: one })),
    )
    const people: Ready[] = []
    await runConcurrently(crashPoints, async (crashPoint) => {
      const ready = await readyToPress()
      await refundUntil(crashPoint, ready.topUpId)
      people.push(ready)
    })
    site.advanceClock(hour)
    await runJanitor(site.context)
    for (const { shopper, topUpId } of people) {
      const refunds = await refundsOf(site, topUpId)
      const back = refunds.length > 0
      expect(refunds).toEqual(
        back ? [{ amount_cents: 500, status: 'succeeded', reason: 'asked for it' }] : [],
      )
      expect(await availableTo(shopper)).toBe(back ? undefined : 500)
    }
  },
)
