import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderStatuses } from '#contract/billing.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { insertUserRow, insertPaidOrder } from '#server/testing/money-builders.ts'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'
import { moveAttempt } from './attempt-queries.ts'
import { attemptStates } from './attempt-states.ts'
import { moveOrder, undoRefund } from './order-queries.ts'
import { orderStates, undoneRefunds } from './order-states.ts'
import { IllegalMove } from './state-machine.ts'
import { subscriptionStates } from './subscription-states.ts'
import type { OrderStatus } from './tables.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

describe('the lists of billing.md hold', () => {
  test('an order is paid from pending, and late from cancelled, expired and failed', () => {
    expect(orderStates.from('paid').toSorted()).toEqual([
      'cancelled',
      'charged_back',
      'expired',
      'failed',
      'pending',
    ])
    expect(orderStates.allows('refunded', 'paid')).toBe(false)
    expect(orderStates.allows('paid', 'pending')).toBe(false)
  })

  test('what is unknown can turn out to be anything, what is final stays', () => {
    expect(attemptStates.allows('unknown', 'succeeded')).toBe(true)
    for (const final of ['succeeded', 'failed', 'cancelled'] as const)
      expect(attemptStates.allows(final, 'unknown')).toBe(false)
    expect(() => attemptStates.from('started')).toThrow(IllegalMove)
  })

  test('a subscription that expired or ended does not come back', () => {
    expect(subscriptionStates.from('active').toSorted()).toEqual(['incomplete', 'past_due'])
  })
})

/** Has an order go from every state to each of these, and be there only where it may. */
async function expectGuarded<S extends OrderStatus>(
  states: readonly S[],
  allows: (from: OrderStatus, to: S) => boolean,
  move: (tx: Tx, order: string, to: S) => Promise<void>,
): Promise<void> {
  const { db } = database
  const order = await db.transaction().execute(async (tx) => {
    const userId = newId('usr')
    await insertUserRow(tx, userId)
    return insertPaidOrder(tx, userId, new Date())
  })
  for (const from of orderStatuses) {
    for (const to of states) {
      await db.updateTable('orders').set({ status: from }).where('id', '=', order).execute()
      const moved = db.transaction().execute((tx) => move(tx, order, to))
      if (allows(from, to)) await expect(moved).resolves.toBeUndefined()
      else await expect(moved).rejects.toThrow(IllegalMove)
      const row = db.selectFrom('orders').select('status').where('id', '=', order)
      expect((await row.executeTakeFirstOrThrow()).status).toBe(allows(from, to) ? to : from)
    }
  }
}

test('an update that the list does not have changes nothing, whatever state the order is in', () =>
  expectGuarded(orderStatuses, orderStates.allows, moveOrder))

test('only what was refunded can have its refund undone, to less of it or none', async () => {
  expect(undoneRefunds.from('paid').toSorted()).toEqual(['partially_refunded', 'refunded'])
  expect(undoneRefunds.from('partially_refunded')).toEqual(['refunded'])
  await expectGuarded(['paid', 'partially_refunded'], undoneRefunds.allows, (tx, order, to) =>
    undoRefund(tx, order, to, 0),
  )
})

test('nothing moves that is not there', async () => {
  await expect(
    database.db.transaction().execute((tx) => moveAttempt(tx, 'att_none', 'succeeded')),
  ).rejects.toThrow(IllegalMove)
})
