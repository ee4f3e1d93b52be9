import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  insertPlan,
  insertPlanOrder,
  insertSubscription,
} from '#server/testing/builders/subscription-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { loadNextCharge } from './next-charge.ts'
import { selectSubscriptionForRenewal, type RenewalRow } from './renewal-queries.ts'

const endsAt = new Date('2026-03-01T12:00:00Z')
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

async function rowOf(subscriptionId: string): Promise<RenewalRow> {
  const row = await selectSubscriptionForRenewal(database.db, subscriptionId)
  if (!row) throw new Error('there is no such subscription')
  return row
}

test('the next charge is the price of the current plan at the end of the period', async () => {
  const { planId, subscriptionId } = await insertSubscription(database.db, endsAt)
  expect(await loadNextCharge(database.db, await rowOf(subscriptionId))).toMatchObject({
    plan: { id: planId },
    cents: 999,
    currency: 'USD',
    at: endsAt,
  })
})

test('if a change of plan is planned, the next charge has the plan and the price of its order', async () => {
  const { db } = database
  const rows = await insertSubscription(db, endsAt)
  const planId = await insertPlan(db, { period_days: 30, price_cents: 2499, currency: 'EUR' })
  await insertPlanOrder(db, { ...rows, planId }, { period_no: null, amount_cents: 2399, currency: 'EUR' })
  expect(await loadNextCharge(db, await rowOf(rows.subscriptionId))).toMatchObject({
    plan: { id: planId, period_days: 30 },
    cents: 2399,
    currency: 'EUR',
    at: endsAt,
  })
})

test('there is no next charge after a cancellation, without a payment method or without a period', async () => {
  const { subscriptionId } = await insertSubscription(database.db, endsAt)
  const row = await rowOf(subscriptionId)
  const changes = [{ cancel_at_period_end: true }, { method_reference: null }, { period_ends_at: null }]
  for (const change of changes) expect(await loadNextCharge(database.db, { ...row, ...change })).toBeNull()
})
