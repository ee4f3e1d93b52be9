import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Db, Tx } from '#server/tables.ts'
import {
  selectBalanceDays,
  selectDeferredRevenue,
  selectLiability,
} from '#server/features/billing/reporting/balance-figures-queries.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { selectBonusSpending, selectBonusSetOffs, selectUnspentTopUps } from './bonus-queries.ts'
import { countAutomaticOrders, selectUndoneVideoIds } from './auto-unlock-queries.ts'
import {
  lockOpenLots,
  lockSpentLots,
  selectPurchasesPaidByTopUp,
  selectTopUpEmail,
  lockExpiredLots,
} from './lot-queries.ts'
import { selectBalanceEntries } from './entry-queries.ts'

const now = new Date('2026-03-01T12:00:00Z')

/** 5,000 users who have topped up and spent everything. */
const spent = `
  SET session_replication_role = replica;
  INSERT INTO users (id, referral_code) SELECT 'usr_' || n, n FROM generate_series(1, 5000) n;
  INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at, paid_at)
    SELECT 'ord_' || n, 'usr_' || n, 'top_up', 'paid', 500, 'USD', 'sandbox', 'card', n || '@example.com', now(), now(), now()
    FROM generate_series(1, 5000) n;
  INSERT INTO balance_lots (id, user_id, order_id, kind, currency, amount_cents, remaining_cents, expires_at, created_at)
    SELECT 'lot_' || n, 'usr_' || n, 'ord_' || n, 'bonus', 'USD', 500, 0, now(), now() FROM generate_series(1, 5000) n;
  INSERT INTO balance_entries (id, user_id, order_id, kind, currency, paid_cents, bonus_cents, at)
    SELECT 'bal_' || n, 'usr_' || n, 'ord_' || n, 'purchase', 'USD', 0, -500, now() FROM generate_series(1, 5000) n;
  INSERT INTO balance_lines (entry_id, lot_id, cents)
    SELECT 'bal_' || n, 'lot_' || n, -500 FROM generate_series(1, 5000) n;
  INSERT INTO ledger_lines (transaction_id, order_id, account, amount_cents, currency, at)
    SELECT 'charge:' || n, 'ord_' || n, account, 500, 'USD', '2025-01-01' FROM generate_series(1, 5000) n,
      (VALUES ('deferred_revenue'), ('gateway:sandbox'), ('sales:episode')) accounts (account);
  INSERT INTO payment_attempts (id, order_id, number, idempotency_key, gateway, reference, status, started_at)
    SELECT 'att_' || n, 'ord_' || n, 1, n, 'balance', n, 'succeeded', now() FROM generate_series(1, 5000) n;
  INSERT INTO refunds (id, attempt_id, idempotency_key, origin, amount_cents, reason, status, created_at)
    SELECT 'ref_' || n, 'att_' || n, n, 'requested', 99, 'balance_refund', 'succeeded', now() FROM generate_series(1, 5000) n;
  INSERT INTO episodes (id, video_id, number, titles) SELECT 'ep_' || n, 'vid_' || n, 1, '{}' FROM generate_series(1, 5000) n;
  RESET session_replication_role;
  VACUUM ANALYZE`

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  for (const statement of spent.split(';')) await database.pool.query(statement)
}, 600_000)
afterAll(() => database.close())

const inTransaction =
  (work: (tx: Tx) => Promise<unknown>) =>
  (db: Db): Promise<unknown> =>
    db.transaction().execute(work)

const reads: [name: string, work: (db: Db) => Promise<unknown>][] = [
  ['the spendable balance', inTransaction((tx) => lockOpenLots(tx, 'usr_1', 'USD', now))],
  ['a statement', (db) => selectBalanceEntries(db, 'usr_1', undefined, 20)],
  ['the address of the latest top-up', (db) => selectTopUpEmail(db, 'usr_1')],
  ['the lots that paid for a purchase', inTransaction((tx) => lockSpentLots(tx, 'ord_1'))],
  ['the purchases that a top-up paid for', inTransaction((tx) => selectPurchasesPaidByTopUp(tx, 'ord_1'))],
  ['the refundable top-ups', (db) => selectUnspentTopUps(db, 'usr_1')],
  ['the purchases that a bonus paid for', inTransaction((tx) => selectBonusSpending(tx, 'ord_1'))],
  ['the purchases whose bonus was set off', inTransaction((tx) => selectBonusSetOffs(tx, 'ord_1'))],
  ['the expired bonus lots', inTransaction((tx) => lockExpiredLots(tx, now, 20))],
  ['the number of automatic orders', (db) => countAutomaticOrders(db, 'usr_1', now)],
  ['the dramas with an undone automatic unlock', (db) => selectUndoneVideoIds(db, 'usr_1', now)],
  ['the liability in the lots', (db) => selectLiability(db)],
  ['the liability in the ledger', (db) => selectDeferredRevenue(db)],
  ['the daily balance figures', (db) => selectBalanceDays(db, { from: now, to: new Date() })],
]

it.each(reads)('reads %s through an index, without a sequential scan', async (_name, work) => {
  const plans = await queryPlans(database, work)
  expect(plans.length).toBeGreaterThan(0)
  for (const { plan } of plans) {
    expect(plan).toContain('Index')
    expect(plan).not.toContain('Seq Scan')
  }
})
