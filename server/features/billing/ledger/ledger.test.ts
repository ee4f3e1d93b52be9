import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { insertAttempt } from '#server/features/billing/records/attempt-queries.ts'
import {
  enterDispute,
  enterFailedRefund,
  enterRefund,
  enterSale,
  enterUnwantedPayment,
  sourceAccountOf,
  type LedgerPayment,
} from './ledger.ts'
import type { OrderKind } from '#server/features/billing/tables.ts'

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
})

test('an attempt without a ledger entry has no source account', async () => {
  expect(await sourceAccountOf(database.db, paid.attempt.id)).toBeUndefined()
})
