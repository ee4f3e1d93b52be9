import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Db, Tx } from '#server/tables.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { takeDueAttempts } from './attempt-queries.ts'
import {
  clearOldNetworks,
  selectCardAttemptOfNetwork,
} from '#server/features/billing/payment-methods/card-failure-queries.ts'
import { takeDueMethodSetups } from './method-setup-queries.ts'
import { deleteMethod, takeMethodsToDetach } from './method-queries.ts'
import { takeDueWebhookEvents } from './webhook-event-queries.ts'
import { expireOrders } from './order-queries.ts'
import { selectPaidOrdersOf } from '#server/features/billing/consumer-rights/link-request-queries.ts'
import { queueCustomerDeletions, takeDueCustomerDeletions } from './gateway-customer-queries.ts'
import { takeDueRefunds } from './refund-queries.ts'
import { takeDueSubscriptions, takeDueReminders } from './renewals/renewal-queries.ts'
import { expireSubscriptions } from './renewals/subscription-queries.ts'
import { takeDueWithdrawals } from '#server/features/billing/consumer-rights/withdrawal-queries.ts'

const now = new Date('2026-03-01T12:00:00Z')
const due = { now, limit: 20, next: () => null }

/** Creates 5,000 records of each kind. All are settled. */
const settled = `
  SET session_replication_role = replica;
  INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at, paid_at)
    SELECT 'ord_' || n, 'usr_' || n, 'video', 'paid', 999, 'USD', 'sandbox', 'card', n || '@example.com', now(), now(), now()
    FROM generate_series(1, 5000) n;
  INSERT INTO users (id, referral_code) SELECT 'usr_' || n, n FROM generate_series(1, 5000) n;
  INSERT INTO payment_attempts (id, order_id, number, idempotency_key, gateway, status, started_at)
    SELECT 'att_' || n, 'ord_' || n, 1, n, 'sandbox', 'succeeded', now() FROM generate_series(1, 5000) n;
  INSERT INTO refunds (id, attempt_id, idempotency_key, amount_cents, origin, reason, status, created_at)
    SELECT 'ref_' || n, 'att_' || n, n, 1, 'requested', 'asked', 'succeeded', now() FROM generate_series(1, 5000) n;
  INSERT INTO subscriptions (id, user_id, plan_id, status, created_at)
    SELECT 'sub_' || n, 'usr_' || n, 'pln_1', 'ended', now() FROM generate_series(1, 5000) n;
  INSERT INTO payment_methods (id, user_id, gateway, reference)
    SELECT 'pm_' || n, 'usr_' || n, 'sandbox', n FROM generate_series(1, 5000) n;
  INSERT INTO payment_method_consents (order_id, payment_method_id, terms_hash, consented_at, revoked_at)
    SELECT 'ord_' || n, 'pm_' || n, n, now(), now() FROM generate_series(1, 5000) n;
  INSERT INTO payment_method_setups (id, user_id, subscription_id, gateway, method, status, started_at)
    SELECT 'chg_' || n, 'usr_' || n, 'sub_' || n, 'sandbox', 'card', 'succeeded', now() FROM generate_series(1, 5000) n;
  INSERT INTO gateway_customers_to_delete (id) SELECT 'usr_' || n FROM generate_series(1, 5000) n;
  INSERT INTO webhook_events (gateway, event_id, received_at, applied_at, reference)
    SELECT 'sandbox', n, now(), now(), n FROM generate_series(1, 5000) n;
  RESET session_replication_role;
  ANALYZE`

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(settled)
}, 600_000)
afterAll(() => database.close())

const inTransaction =
  (work: (tx: Tx) => Promise<unknown>) =>
  (db: Db): Promise<unknown> =>
    db.transaction().execute(work)

/** Each of these runs one or more queries. */
const queries: [name: string, work: (db: Db) => Promise<unknown>][] = [
  ['expired orders', (db) => expireOrders(db, now, 20)],
  ['attempts to poll', inTransaction((tx) => takeDueAttempts(tx, due))],
  ['method setups to poll', inTransaction((tx) => takeDueMethodSetups(tx, due))],
  ['refunds to send', inTransaction((tx) => takeDueRefunds(tx, due))],
  ['subscriptions whose first payment is missing', (db) => expireSubscriptions(db, now)],
  ['due subscriptions', (db) => takeDueSubscriptions(db, now, now, 20)],
  ['reminders', inTransaction((tx) => takeDueReminders(tx, now, 20))],
  ['payment methods to detach', inTransaction((tx) => takeMethodsToDetach(tx, due))],
  ['a method to delete', (db) => deleteMethod(db, 'pm_1')],
  ['gateway customers to delete', inTransaction((tx) => takeDueCustomerDeletions(tx, due))],
  ['gateway customers of a deleted account', inTransaction((tx) => queueCustomerDeletions(tx, 'usr_1', now))],
  [
    'the orders with an e-mail address',
    (db) => selectPaidOrdersOf(db, { email: 'one@example.com', order_id: null }, 20),
  ],
  ['the failed cards of a network', inTransaction((tx) => selectCardAttemptOfNetwork(tx, 'one', now, 200))],
  ['expired network hashes', (db) => clearOldNetworks(db, now)],
  ['unapplied webhook events', inTransaction((tx) => takeDueWebhookEvents(tx, due))],
  ['withdrawals to refund', inTransaction((tx) => takeDueWithdrawals(tx, due))],
]

it.each(queries)('an index finds %s without reading settled rows', async (_name, work) => {
  const plans = await queryPlans(database, work)
  expect(plans.length).toBeGreaterThan(0)
  for (const { plan } of plans) {
    expect(plan).toContain('Index')
    expect(plan).not.toContain('Seq Scan')
  }
})
