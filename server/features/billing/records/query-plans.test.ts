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
import { takeDuePriceNotices, takeDueReminders, takeDueSubscriptions } from './renewals/renewal-queries.ts'
import { expireSubscriptions } from './renewals/subscription-queries.ts'
import { selectUnwantedPaymentsOfOrder } from '#server/features/billing/refunds/unwanted-payment-queries.ts'
import { purgeWebhookEvents } from '#server/features/billing/jobs/purge-webhook-events.ts'
import { deleteOldKeys } from '#server/features/billing/checkout/idempotency-queries.ts'
import {
  deleteUnpaidOrders,
  deleteUnstartedSubscriptions,
} from '#server/features/billing/jobs/unpaid-order-queries.ts'
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
  INSERT INTO ledger_lines (transaction_id, order_id, account, amount_cents, currency, at)
    SELECT 'charge:att_' || n, 'ord_' || n, 'refunds_payable', -999, 'USD', now() FROM generate_series(1, 5000) n;
  INSERT INTO idempotency_keys (user_id, key, request_path, request_hash, reserved_id, lease_owner, lease_expires_at)
    SELECT 'usr_' || n, 'key', '', '', '', '', now() FROM generate_series(1, 5000) n;
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
  ['old idempotency keys', (db) => deleteOldKeys(db, now)],
  [
    'webhook events that were applied long ago',
    (db) => purgeWebhookEvents({ db, clock: { now: () => now } }),
  ],
  ['subscriptions that never started', (db) => deleteUnstartedSubscriptions(db, now, 20)],
  ['the unwanted payments of an order', (db) => selectUnwantedPaymentsOfOrder(db, 'ord_1')],
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

const planOf = async (work: (db: Db) => Promise<unknown>) => {
  const plans = await queryPlans(database, work)
  return plans.map(({ plan }) => plan).join('\n')
}

it('the purge of unpaid orders reads no renewals, which it never deletes', async () => {
  expect(await planOf((db) => deleteUnpaidOrders(db, now, 20))).toContain('orders_unpaid_purchases')
})

it('price notices read no subscription at the price of its plan', async () => {
  await database.pool.query(`
    INSERT INTO plans (id, names, descriptions, price_cents, currency, period_days) VALUES ('pln_1', '{}', '{}', 999, 'USD', 30);
    INSERT INTO subscriptions (id, user_id, plan_id, status, created_at, payment_method_id, agreed_price_cents)
      SELECT 'sub_live_' || n, 'usr_' || n, 'pln_1', 'active', now(), 'pm_' || n, 999 FROM generate_series(2, 5000) n;
    ANALYZE plans, subscriptions`)
  const plan = await planOf(inTransaction((tx) => takeDuePriceNotices(tx, now, 20)))
  expect(plan).toMatch(/subscriptions_known_price .*\n *Index Cond: .*plan_id.*COALESCE/)
})

it('each foreign key to a row that a job may delete has an index', async () => {
  const { rows } = await database.pool.query<{ key: string }>(
    `SELECT conrelid::regclass || ' ' || conname AS key FROM pg_constraint
     WHERE contype = 'f' AND confrelid IN ('orders'::regclass, 'subscriptions'::regclass, 'payment_attempts'::regclass, 'payment_methods'::regclass)
       AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1] AND indisvalid
         AND coalesce(pg_get_expr(indpred, indrelid) LIKE '(% IS NOT NULL)', true))`,
  )
  expect(rows).toEqual([])
})
