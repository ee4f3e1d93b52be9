import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { insertAttempt } from '#server/features/billing/records/attempt-queries.ts'
import { enterBalanceSale, type PaidAndBonus } from './balance-ledger.ts'
import {
  enterDispute,
  enterDisputeLoss,
  enterFailedRefund,
  enterRefund,
  enterSale,
  enterUnwantedPayment,
  sourceAccountOf,
  type LedgerPayment,
} from './ledger.ts'
import type { OrderKind } from '#server/features/billing/tables.ts'

const earlier = new Date('2026-02-20T12:00:00Z')
const now = new Date('2026-03-01T12:00:00Z')

let database: TestDatabase
let paid: Pick<LedgerPayment, 'order' | 'attempt'>

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  paid = await makePaid()
})

/** Creates an order of 99 cents and the attempt that paid it. */
function makePaid(): Promise<Pick<LedgerPayment, 'order' | 'attempt'>> {
  return database.db.transaction().execute(async (tx) => {
    const userId = newId('usr')
    await insertUserRow(tx, userId)
    const id = await insertPaidOrder(tx, userId, now)
    const order = await tx.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const attempt = await insertAttempt(tx, {
      id: newId('att'),
      order_id: id,
      number: 1,
      idempotency_key: id,
      gateway: 'stripe',
      status: 'succeeded',
      started_at: now,
      next_poll_at: null,
    })
    return { order, attempt }
  })
}

const runInTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.db.transaction().execute(work)

/** Returns the lines of the order, as `transaction account cents`. */
async function lines(): Promise<string[]> {
  const rows = await database.db
    .selectFrom('ledger_lines')
    .selectAll()
    .where('order_id', '=', paid.order.id)
    .orderBy('id')
    .execute()
  for (const row of rows) expect(row).toMatchObject({ currency: 'USD', at: now })
  const named = { [paid.attempt.id]: 'attempt', [paid.order.id]: 'order' }
  return rows.map(({ transaction_id, account, amount_cents }) =>
    [transaction_id.replace(/att_\w+/, (id) => named[id] ?? id), account, amount_cents].join(' '),
  )
}

/** Returns the accounts of the order's lines that are queued for the studio's funnel. */
async function unaggregated(): Promise<string[]> {
  const rows = await database.db
    .selectFrom('unaggregated_ledger_lines')
    .innerJoin('ledger_lines', 'ledger_lines.id', 'unaggregated_ledger_lines.line_id')
    .select('account')
    .where('order_id', '=', paid.order.id)
    .orderBy('line_id')
    .execute()
  return rows.map(({ account }) => account)
}

/** Returns the times at which the figures count the order's transactions: `effective_at`, or `at` if it is empty. */
async function countedAt(): Promise<Record<string, Date>> {
  const rows = await database.db
    .selectFrom('ledger_lines')
    .select(['transaction_id', 'at', 'effective_at'])
    .where('order_id', '=', paid.order.id)
    .execute()
  return Object.fromEntries(
    rows.map(({ transaction_id, at, effective_at }) => [
      transaction_id.replace(paid.attempt.id, 'attempt'),
      effective_at ?? at,
    ]),
  )
}

describe('the entry', () => {
  test.each<OrderKind>(['plan', 'episode', 'video'])(
    'of a sale debits the gateway and credits sales of the product (%s)',
    async (kind) => {
      await runInTransaction((tx) => enterSale(tx, { ...paid.order, kind }, paid.attempt, now))
      expect(await lines()).toEqual(['charge:attempt gateway:stripe 99', `charge:attempt sales:${kind} -99`])
      expect(await unaggregated()).toEqual([`sales:${kind}`])
      expect(await sourceAccountOf(database.db, paid.attempt.id)).toBe(`sales:${kind}`)
    },
  )

  test('of a refund credits the gateway and debits sales of the product', async () => {
    const returned = { ...paid, source: 'sales:episode', at: now } as const
    await runInTransaction((tx) => enterRefund(tx, returned, { id: 'ref_1', cents: 40 }))
    expect(await lines()).toEqual(['refund:ref_1 sales:episode 40', 'refund:ref_1 gateway:stripe -40'])
    expect(await unaggregated()).toEqual(['sales:episode'])
  })

  test('of a refund that failed debits the gateway and credits sales of the product', async () => {
    const returned = { ...paid, source: 'sales:episode', at: now } as const
    await runInTransaction((tx) => enterFailedRefund(tx, returned, { id: 'ref_1', cents: 40 }))
    expect(await lines()).toEqual([
      'refund_failed:ref_1 gateway:stripe 40',
      'refund_failed:ref_1 sales:episode -40',
    ])
  })

  test('of a refund that failed counts at the time of the refund', async () => {
    const payment = { ...paid, source: 'sales:episode' } as const
    const refund = { id: 'ref_2', cents: 40 }
    await runInTransaction((tx) => enterRefund(tx, { ...payment, at: earlier }, refund))
    await runInTransaction((tx) => enterFailedRefund(tx, { ...payment, at: now }, refund))
    expect(await countedAt()).toEqual({ 'refund:ref_2': earlier, 'refund_failed:ref_2': earlier })
  })
})

describe('the entries of a top-up', () => {
  const source = 'deferred_revenue'

  test('credit deferred revenue, which is not counted as a sale', async () => {
    await runInTransaction((tx) => enterSale(tx, { ...paid.order, kind: 'top_up' }, paid.attempt, now))
    expect(await lines()).toEqual(['charge:attempt gateway:stripe 99', 'charge:attempt deferred_revenue -99'])
    expect(await unaggregated()).toEqual([])
    expect(await sourceAccountOf(database.db, paid.attempt.id)).toBe(source)
  })

  test('debit top_up_reversals when it is refunded, and credit it when the refund fails', async () => {
    const refund = { id: 'ref_3', cents: 40 }
    await runInTransaction((tx) => enterRefund(tx, { ...paid, source, at: now }, refund))
    await runInTransaction((tx) => enterFailedRefund(tx, { ...paid, source, at: now }, refund))
    expect(await lines()).toEqual([
      'refund:ref_3 top_up_reversals 40',
      'refund:ref_3 gateway:stripe -40',
      'refund_failed:ref_3 gateway:stripe 40',
      'refund_failed:ref_3 top_up_reversals -40',
    ])
  })

  test('debit top_up_reversals when it is disputed, and book no loss when the dispute is lost', async () => {
    await runInTransaction((tx) => enterDispute(tx, { ...paid, source, at: now }, 99))
    await runInTransaction((tx) => enterDisputeLoss(tx, { ...paid, source, at: now }, 99))
    expect(await lines()).toEqual([
      'dispute:attempt:1 top_up_reversals 99',
      'dispute:attempt:1 gateway:stripe -99',
    ])
    expect(await unaggregated()).toEqual([])
  })
})

describe('a purchase from the balance', () => {
  const buy = (amounts: PaidAndBonus) =>
    runInTransaction((tx) =>
      enterBalanceSale(tx, { ...paid.order, kind: 'episode' }, paid.attempt, amounts, now),
    )

  test.each([
    { paidWith: 'paid money', amounts: { paid: 99, bonus: 0 } },
    { paidWith: 'paid money and bonus', amounts: { paid: 60, bonus: 39 } },
  ])('counts as a sale of the product if it was paid with $paidWith', async ({ amounts }) => {
    await buy(amounts)
    expect(await unaggregated()).toEqual(['sales:episode'])
    expect(await sourceAccountOf(database.db, paid.attempt.id)).toBe('sales:episode')
  })

  test('counts as a sale for bonus if bonus paid all of it', async () => {
    await buy({ paid: 0, bonus: 99 })
    expect(await unaggregated()).toEqual(['bonus_sales'])
    expect(await sourceAccountOf(database.db, paid.attempt.id)).toBe('bonus_sales')
  })
})

describe('the entry of an unwanted payment', () => {
  test('credits the account refunds_payable, and is made once per attempt', async () => {
    const enterUnwanted = () =>
      runInTransaction((tx) => enterUnwantedPayment(tx, paid.order, paid.attempt, now))
    expect(await enterUnwanted()).toBe(true)
    expect(await enterUnwanted()).toBe(false)
    expect(await lines()).toEqual(['charge:attempt gateway:stripe 99', 'charge:attempt refunds_payable -99'])
    expect(await unaggregated()).toEqual([])
    expect(await sourceAccountOf(database.db, paid.attempt.id)).toBe('refunds_payable')
  })

  test('is not made for an attempt that was booked as a sale', async () => {
    await runInTransaction((tx) => enterSale(tx, paid.order, paid.attempt, now))
    expect(await runInTransaction((tx) => enterUnwantedPayment(tx, paid.order, paid.attempt, now))).toBe(
      false,
    )
    expect(await lines()).toHaveLength(2)
  })
})

describe('the entries of a dispute', () => {
  const source = 'sales:episode'

  test('credit the gateway, and debit it when money returns, each time in a separate transaction', async () => {
    for (const cents of [99, -99, 50])
      await runInTransaction((tx) => enterDispute(tx, { ...paid, source, at: now }, cents))
    expect(await lines()).toEqual([
      'dispute:attempt:1 charged_back 99',
      'dispute:attempt:1 gateway:stripe -99',
      'dispute:attempt:2 gateway:stripe 99',
      'dispute:attempt:2 charged_back -99',
      'dispute:attempt:3 charged_back 50',
      'dispute:attempt:3 gateway:stripe -50',
    ])
    expect(await unaggregated()).toEqual(['charged_back', 'charged_back', 'charged_back'])
  })

  test('are numbered separately for each attempt', async () => {
    const other = { ...paid.attempt, id: newId('att') }
    await runInTransaction((tx) => enterDispute(tx, { ...paid, source, attempt: other, at: now }, 99))
    await runInTransaction((tx) => enterDispute(tx, { ...paid, source, at: now }, 99))
    expect((await lines()).at(-1)).toBe('dispute:attempt:1 gateway:stripe -99')
  })

  test('move the money to dispute_lost when it is lost, and back when it is reopened', async () => {
    for (const cents of [99, -99, 50])
      await runInTransaction((tx) => enterDisputeLoss(tx, { ...paid, source, at: now }, cents))
    expect(await lines()).toEqual([
      'dispute_lost:attempt:1 dispute_lost 99',
      'dispute_lost:attempt:1 charged_back -99',
      'dispute_lost:attempt:2 charged_back 99',
      'dispute_lost:attempt:2 dispute_lost -99',
      'dispute_lost:attempt:3 dispute_lost 50',
      'dispute_lost:attempt:3 charged_back -50',
    ])
    expect((await unaggregated()).toSorted()).toEqual([
      ...Array<string>(3).fill('charged_back'),
      ...Array<string>(3).fill('dispute_lost'),
    ])
  })

  test('count at the time at which the dispute first took money', async () => {
    const first = { ...paid, source, at: earlier } as const
    const later = { ...paid, source, at: now, openedAt: earlier } as const
    await runInTransaction(async (tx) => {
      await enterDispute(tx, first, 99)
      await enterDispute(tx, later, -40)
      await enterDisputeLoss(tx, later, 59)
    })
    expect(await countedAt()).toEqual({
      'dispute:attempt:1': earlier,
      'dispute:attempt:2': earlier,
      'dispute_lost:attempt:1': earlier,
    })
  })
})

test('an attempt without a ledger entry has no source account', async () => {
  expect(await sourceAccountOf(database.db, paid.attempt.id)).toBeUndefined()
})
