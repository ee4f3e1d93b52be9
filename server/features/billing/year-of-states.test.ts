import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { booksOf, expectEven } from '#server/testing/books.ts'
import { Shopper } from '#server/testing/shopper.ts'
import { testSite, type TestSite } from '#server/testing/test-site.ts'
import type { Funding } from './gateways/paypal/fake-orders.ts'
import { FakePaypal } from './gateways/paypal/fake-paypal.ts'
import { runJanitor } from './janitor.ts'
import { loadReconciliation } from './load-reconciliation.ts'
import { reconcile } from './reconcile.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'

const day = 86_400_000
const stepMs = 3 * day
const people = 10

let paypal: FakePaypal
let site: TestSite
let offset = 0

beforeAll(async () => {
  paypal = await FakePaypal.start()
  site = await testSite({ clock: { now: () => new Date(Date.now() + offset) } }, paypal.settings)
})
afterAll(async () => {
  await site.close()
  await paypal.close()
})

/** Numbers between 0 and 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

async function subscribe(): Promise<void> {
  const shopper = await Shopper.on(site)
  const plan_id = (await shopper.plan(30)).id
  const order = await shopper.order({ kind: 'plan', plan_id, gateway: 'paypal', method: 'wallet' })
  paypal.orders.approve(new URL(order.next.url ?? '').searchParams.get('token') ?? '')
  expect(await shopper.look(order.id)).toMatchObject({ status: 'paid' })
}

/** What PayPal does with payments in the course of a year, and what follows some steps later. */
class Moods {
  readonly met: Record<string, number> = {}
  private readonly random = seeded(20_261_125)
  private readonly touched = new Set<string>()
  private readonly turns = new Map<string, number>()
  private planned: { steps: number; work: () => void }[] = []

  private pick<T>(...choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.random() * choices.length)]
  }

  /** Each of the choices in turn, so that a year meets them all. */
  private turn<T>(name: string, choices: readonly T[]): T | undefined {
    const taken = this.turns.get(name) ?? 0
    this.turns.set(name, taken + 1)
    return choices[taken % choices.length]
  }

  private later(work: () => void): void {
    this.planned.push({ steps: 1 + Math.floor(this.random() * 3), work })
  }

  /** How wallets pay until the next step. */
  fund(): void {
    for (const vault of paypal.orders.vault.keys())
      paypal.orders.vault.set(
        vault,
        this.pick<Funding>('pays', 'pays', 'pays', 'pending', 'declined') ?? 'pays',
      )
  }

  change(): void {
    for (const [id, { captures }] of paypal.orders.all) {
      const [capture] = captures
      if (!capture || this.touched.has(id)) continue
      if (capture.status === 'PENDING') this.begin(id, 'pending', () => this.decide(id))
      else if (capture.status === 'COMPLETED' && this.random() < 0.05) this.disturb(id, capture)
    }
  }

  /** What was left to happen, by the number of steps. */
  passStep(): void {
    for (const one of this.planned) one.steps--
    const due = this.planned.filter(({ steps }) => steps <= 0)
    this.planned = this.planned.filter(({ steps }) => steps > 0)
    for (const { work } of due) work()
  }

  /** From now on every wallet pays, and what is pending comes to its end. */
  end(): void {
    for (const vault of paypal.orders.vault.keys()) paypal.orders.vault.set(vault, 'pays')
    for (const [id, { captures }] of paypal.orders.all)
      if (captures[0]?.status === 'PENDING' && !this.touched.has(id)) paypal.orders.decide(id, 'COMPLETED')
  }

  get isOver(): boolean {
    return this.planned.length === 0
  }

  private begin(id: string, what: string, after: () => void): void {
    this.touched.add(id)
    this.met[what] = (this.met[what] ?? 0) + 1
    this.later(after)
  }

  private decide(id: string): void {
    const end = this.turn('decide', ['COMPLETED', 'COMPLETED', 'DECLINED'] as const) ?? 'COMPLETED'
    this.met[end] = (this.met[end] ?? 0) + 1
    paypal.orders.decide(id, end)
  }

  private disturb(
    id: string,
    capture: { id: string; status: string; amount: { currency_code: string } },
  ): void {
    const { orders } = paypal
    const now = new Date(Date.now() + offset)
    const restore = () => void (capture.status = 'COMPLETED')
    const part = { currency_code: capture.amount.currency_code, value: '1.00' }
    switch (this.turn('disturb', ['disputed', 'doubted', 'reversed', 'partly refunded', 'refund pending'])) {
      case 'disputed': {
        orders.dispute(id, 'open', now)
        const status = this.turn('dispute', ['PENDING', 'DECLINED', 'REVERSED', 'COMPLETED']) ?? 'PENDING'
        capture.status = status
        return this.begin(id, `disputed ${status}`, () => {
          const isWon = status !== 'REVERSED' && this.turn('bank', [true, false])
          orders.dispute(id, isWon ? 'won' : 'lost', now)
          if (isWon) restore()
        })
      }
      case 'doubted':
        capture.status = this.turn('doubt', ['PENDING', 'DECLINED', 'DENIED']) ?? 'PENDING'
        orders.tellOfCapture(orders.get(id), capture.status)
        return this.begin(id, `doubted ${capture.status}`, restore)
      case 'reversed':
        capture.status = 'REVERSED'
        orders.tellOfCapture(orders.get(id), 'REVERSED')
        return this.begin(id, 'reversed', () => {})
      case 'partly refunded':
        orders.refund(capture.id, { amount: part })
        return this.begin(id, 'partly refunded', () => {})
      default: {
        orders.refundsBegin = 'PENDING'
        const refund = orders.refund(capture.id, { amount: part })
        orders.refundsBegin = 'COMPLETED'
        return this.begin(id, 'refund pending', () => {
          if (this.random() < 0.5) orders.failRefunds(id)
          else refund.status = 'COMPLETED'
        })
      }
    }
  }
}

async function pass(milliseconds: number): Promise<void> {
  offset += milliseconds
  paypal.ahead = offset
  await runJanitor(site.context)
  await renewSubscriptions(site.context)
  await reconcile(site.context)
}

const count = async (query: ReturnType<typeof sql<{ count: number }>>) =>
  (await query.execute(site.context.db)).rows[0]?.count

test(
  'a year at PayPal in every state: nothing is charged twice, given without money or left out of the books',
  { timeout: 300_000 },
  async () => {
    for (let person = 0; person < people; person++) await subscribe()
    const moods = new Moods()
    for (let step = 0; step * stepMs < 365 * day; step++) {
      moods.fund()
      moods.passStep()
      await pass(stepMs)
      moods.change()
      // A plan that ended makes room for somebody new.
      if (step % 5 === 4) await subscribe()
    }
    while (!moods.isOver) {
      moods.passStep()
      await pass(stepMs)
    }
    moods.end()
    for (let step = 0; step < 6; step++) await pass(stepMs)
    const { db, gateways } = site.context
    const met = ['COMPLETED', 'DECLINED', 'pending', 'partly refunded', 'refund pending', 'reversed']
    const disputed = ['PENDING', 'DECLINED', 'REVERSED'].map((status) => `disputed ${status}`)
    expect(Object.keys(moods.met)).toEqual(expect.arrayContaining([...met, ...disputed, 'doubted PENDING']))
    await expectEven(db)
    for (const gateway of gateways) {
      const { ours, theirs } = await booksOf(db, gateway)
      expect(ours).toBe(theirs)
    }
    const { mismatches } = await loadReconciliation(site.context, undefined)
    expect(mismatches).toEqual([])
    expect(
      await count(sql`SELECT count(*)::int AS count FROM (SELECT orders.id FROM orders JOIN attempts ON attempts.order_id = orders.id
        WHERE attempts.status = 'succeeded' AND NOT EXISTS (SELECT FROM refunds
          WHERE refunds.attempt_id = attempts.id AND refunds.idempotency_key LIKE 'return:%')
        GROUP BY orders.id HAVING count(*) > 1) AS twice`),
    ).toBe(0)
    expect(
      await count(sql`SELECT count(*)::int AS count FROM orders WHERE (status IN ('paid', 'partially_refunded')) <> EXISTS (
        SELECT FROM entitlements WHERE order_id = orders.id AND revoked_at IS NULL)`),
    ).toBe(0)
    expect(await count(sql`SELECT count(*)::int AS count FROM orders WHERE status = 'paid'`)).toBeGreaterThan(
      30,
    )
  },
)
