import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderStatuses } from '#contract/billing.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { insertUserRow, insertPaidOrder } from '#server/testing/builders/order-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { transitionAttempt } from './attempt-queries.ts'
import {
  attemptStates,
  inProgressStatuses,
  isInProgress,
  isOpen,
  openAttemptStatuses,
} from '#server/features/billing/states/attempt-states.ts'
import { transitionOrder, undoRefund } from './order-queries.ts'
import {
  isDisputeOpenOrLost,
  orderStates,
  paidStatuses,
  refundReversals,
} from '#server/features/billing/states/order-states.ts'
import {
  checkTransition,
  IllegalTransition,
  type StateMachine,
} from '#server/features/billing/states/state-machine.ts'
import {
  subscriptionRestorations,
  subscriptionStates,
} from '#server/features/billing/states/subscription-states.ts'
import type { AttemptStatus, OrderStatus, SubscriptionStatus } from '#server/features/billing/tables.ts'

const attemptStatuses: readonly AttemptStatus[] = [
  'started',
  'unknown',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
]
const subscriptionStatuses: readonly SubscriptionStatus[] = [
  'incomplete',
  'active',
  'past_due',
  'ended',
  'expired',
]

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** Returns every transition that a state machine allows. */
const movesOf = <S extends string>(states: readonly S[], { allows }: StateMachine<S>): string[] =>
  states.flatMap((from) => states.filter((to) => allows(from, to)).map((to) => `${from} → ${to}`))

describe('the allowed transitions', () => {
  test('of an order let a late payment pay a closed order', () => {
    expect(movesOf(orderStatuses, orderStates)).toEqual([
      'pending → paid',
      'pending → failed',
      'pending → cancelled',
      'pending → expired',
      'paid → partially_refunded',
      'paid → refunded',
      'paid → charged_back',
      'failed → paid',
      'cancelled → paid',
      'expired → paid',
      'partially_refunded → refunded',
      'partially_refunded → charged_back',
      'charged_back → paid',
      'charged_back → partially_refunded',
    ])
  })

  test('of an order with a failed refund can only restore the refunded amount', () => {
    expect(movesOf(orderStatuses, refundReversals)).toEqual([
      'partially_refunded → paid',
      'refunded → paid',
      'refunded → partially_refunded',
    ])
  })

  test('of an attempt do not leave its final states', () => {
    expect(movesOf(attemptStatuses, attemptStates)).toEqual([
      'started → unknown',
      'started → requires_action',
      'started → processing',
      'started → succeeded',
      'started → failed',
      'started → cancelled',
      'unknown → requires_action',
      'unknown → processing',
      'unknown → succeeded',
      'unknown → failed',
      'unknown → cancelled',
      'requires_action → processing',
      'requires_action → succeeded',
      'requires_action → failed',
      'requires_action → cancelled',
      'processing → succeeded',
      'processing → failed',
      'processing → cancelled',
    ])
  })

  test('of a subscription do not leave the states expired and ended', () => {
    expect(movesOf(subscriptionStatuses, subscriptionStates)).toEqual([
      'incomplete → active',
      'incomplete → expired',
      'active → past_due',
      'active → ended',
      'past_due → active',
      'past_due → ended',
    ])
  })

  test('of a subscription with restored payments lead back to the state active', () => {
    expect(movesOf(subscriptionStatuses, subscriptionRestorations)).toEqual([
      'ended → active',
      'expired → active',
    ])
  })
})

test('a state machine returns the sources of a state, and throws for a state without sources', () => {
  expect(orderStates.sourcesOf('paid')).toEqual(['pending', 'failed', 'cancelled', 'expired', 'charged_back'])
  expect(subscriptionStates.sourcesOf('ended')).toEqual(['active', 'past_due'])
  expect(() => attemptStates.sourcesOf('started')).toThrow(
    expect.objectContaining({ name: 'IllegalTransition', message: 'nothing leads to started' }),
  )
})

test('a guarded update throws if it changed no row or several rows', () => {
  expect(() => checkTransition({ numUpdatedRows: 1n }, 'order to paid')).not.toThrow()
  for (const numUpdatedRows of [0n, 2n])
    expect(() => checkTransition({ numUpdatedRows }, 'order to paid')).toThrow(
      new IllegalTransition('order to paid'),
    )
})

test('an attempt is open until it succeeds, fails or is cancelled', () => {
  const open = ['started', 'unknown', 'requires_action', 'processing']
  expect(attemptStatuses.filter(isOpen)).toEqual(open)
  expect(openAttemptStatuses).toEqual(open)
})

test('an attempt is in progress while it is open and does not wait for the customer', () => {
  const inProgress = ['started', 'unknown', 'processing']
  expect(attemptStatuses.filter(isInProgress)).toEqual(inProgress)
  expect(inProgressStatuses).toEqual(inProgress)
})

test('a dispute withholds the money of a payment unless it was won', () => {
  for (const dispute of ['open', 'lost'] as const) expect(isDisputeOpenOrLost({ dispute })).toBe(true)
  for (const dispute of ['won', null, undefined] as const)
    expect(isDisputeOpenOrLost({ dispute })).toBe(false)
})

test('an order counts as paid also after refunds and disputes', () => {
  expect(orderStatuses.filter((status) => paidStatuses.includes(status))).toEqual([
    'paid',
    'partially_refunded',
    'refunded',
    'charged_back',
  ])
})

/**
 * Tries the transitions from every state of an order to each of these states. Only allowed ones may change the state.
 */
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
      else await expect(moved).rejects.toThrow(IllegalTransition)
      const row = db.selectFrom('orders').select('status').where('id', '=', order)
      expect((await row.executeTakeFirstOrThrow()).status).toBe(allows(from, to) ? to : from)
    }
  }
}

test('an order keeps its state if a transition is not allowed', () =>
  expectGuarded(orderStatuses, orderStates.allows, transitionOrder))

test('undoing a refund does not change an order that was not refunded', async () => {
  await expectGuarded(['paid', 'partially_refunded'], refundReversals.allows, (tx, order, to) =>
    undoRefund(tx, order, to, 0),
  )
})

test('a transition of a missing attempt throws', async () => {
  await expect(
    database.db.transaction().execute((tx) => transitionAttempt(tx, 'att_none', 'succeeded')),
  ).rejects.toThrow(IllegalTransition)
})
