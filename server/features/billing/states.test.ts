import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderStatuses } from '#contract/billing.ts'
import { newId } from '#server/platform/ids.ts'
import { insertUserRow, insertPaidOrder } from '#server/testing/money-builders.ts'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'
import { moveAttempt } from './attempt-queries.ts'
import { attemptStates } from './attempt-states.ts'
import { moveOrder } from './order-queries.ts'
import { orderStates } from './order-states.ts'
import { IllegalMove } from './state-machine.ts'
import { subscriptionStates } from './subscription-states.ts'

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

test('an update that the list does not have changes nothing, whatever state the order is in', async () => {
  const order = await database.db.transaction().execute(async (tx) => {
    const userId = newId('usr')
    await insertUserRow(tx, userId)
    return insertPaidOrder(tx, userId, new Date())
  })
  for (const from of orderStatuses) {
    for (const to of orderStatuses) {
      await database.db.updateTable('orders').set({ status: from }).where('id', '=', order).execute()
      const move = database.db.transaction().execute((tx) => moveOrder(tx, order, to))
      if (orderStates.allows(from, to)) await expect(move).resolves.toBeUndefined()
      else await expect(move).rejects.toThrow(IllegalMove)
      const { status } = await database.db
        .selectFrom('orders')
        .select('status')
        .where('id', '=', order)
        .executeTakeFirstOrThrow()
      expect(status).toBe(orderStates.allows(from, to) ? to : from)
    }
  }
})

test('nothing moves that is not there', async () => {
  await expect(
    database.db.transaction().execute((tx) => moveAttempt(tx, 'att_none', 'succeeded')),
  ).rejects.toThrow(IllegalMove)
})
