import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeFlags from '#scripts/node-flags.json' with { type: 'json' }
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tables } from '#server/tables.ts'
import { printTable, type Row } from '#bench/result-table.ts'
import { benchEnv } from '#bench/site/start-bench-site.ts'
import { startManyPaymentsGateway } from './many-payments-gateway.ts'

const log = createLog({ json: false, level: 'warn' })
const counts = [15_000, 150_000] as const
/** Maximum ratio of the memory for the larger number of payments to the memory for the smaller number. */
const maxRatio = 1.25

interface Result {
  reconciled: boolean
  discrepancies: number
  seconds: number
  peakMb: number
}

/**
 * `npm run bench -- reconciliation`: reconciles a day of 15,000 and a day of 150,000 payments with a server that lists
 * payments as Stripe does. Prints the time and memory of each reconciliation. Fails if the memory grows with the number
 * of payments.
 */
export async function measureReconciliation(): Promise<void> {
  const measured: (Result & { count: number; requests: number })[] = []
  for (const count of counts) measured.push({ count, ...(await reconcileDay(count)) })
  const [few, many] = measured
  const ratio = (many?.peakMb ?? Number.NaN) / (few?.peakMb ?? Number.NaN)
  const rows = measured.map(({ count, seconds, peakMb, requests, reconciled, discrepancies }): Row => ({
    what: `a day of ${count} payments`,
    ours: `${peakMb.toFixed(0)} MB, ${seconds.toFixed(0)} s, ${requests} requests`,
    bare: '–',
    ratio: '–',
    target: 'no discrepancies',
    ok: reconciled && discrepancies === 0,
  }))
  rows.push({
    what: 'memory with ten times as many payments',
    ours: '–',
    bare: '–',
    ratio: `${ratio.toFixed(2)}×`,
    target: `≤ ${maxRatio}×`,
    ok: ratio <= maxRatio,
  })
  printTable(rows)
  if (rows.some(({ ok }) => !ok)) process.exitCode = 1
}

async function reconcileDay(count: number): Promise<Result & { requests: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-reconciliation-'))
  const from = Math.floor(Date.now() / 1000) - 86_400
  const gateway = await startManyPaymentsGateway({ count, from })
  const database = await openDatabase<Tables>({ dataDir, databaseUrl: undefined, migrate: true }, log)
  try {
    console.log(`Inserting ${count} payments …`)
    for (let first = 1; first <= count; first += 10_000)
      await database.pool.query(fillSql, [first, Math.min(count, first + 9999)])
    await database.pool.query('ANALYZE')
    return { ...(await runChild(dataDir, gateway.url)), requests: gateway.requests() }
  } finally {
    await database.close()
    await gateway.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Inserts the payments numbered $1 to $2 with their orders and ledger lines, as after their webhook events. */
const fillSql = `
  WITH numbers AS (SELECT n FROM generate_series($1::int, $2) n),
  people AS (INSERT INTO users (id, referral_code) SELECT 'usr_' || n, 'bench-' || n FROM numbers),
  placed AS (
    INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, paid_at, expires_at)
    SELECT 'ord_' || n, 'usr_' || n, 'video', 'paid', 999, 'USD', 'stripe', 'card', n || '@example.com', now(), now(), now() FROM numbers),
  tried AS (
    INSERT INTO payment_attempts (id, order_id, number, idempotency_key, gateway, reference, status, started_at)
    SELECT 'att_' || n, 'ord_' || n, 1, 'pay:' || n, 'stripe', 'pi_bench' || n, 'succeeded', now() FROM numbers)
  INSERT INTO ledger_lines (transaction_id, order_id, account, amount_cents, currency, at)
  SELECT 'charge:att_' || n, 'ord_' || n, account, cents, 'USD', now()
  FROM numbers, (VALUES ('gateway:stripe', 999), ('sales:video', -999)) lines(account, cents)`

async function runChild(dataDir: string, gatewayUrl: string): Promise<Result> {
  const child = fork(join(import.meta.dirname, 'reconcile-once.ts'), {
    env: {
      ...benchEnv(dataDir),
      STRIPE_SECRET_KEY: 'sk_test_bench',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_bench',
      STRIPE_WEBHOOK_SECRET: 'whsec_bench',
      STRIPE_API_BASE: gatewayUrl,
    },
    execArgv: nodeFlags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  // The cast is safe: reconcile-once.ts sends only this message.
  const [result] = (await Promise.race([once(child, 'message'), exited])) as [Result]
  await exited
  if (typeof result !== 'object') throw new Error('The reconciliation ended without a result')
  return result
}
