import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { countSales, sumVariants } from './count-sales.ts'
import { sumSales } from './experiment-sales-queries.ts'

const start = new Date('2026-03-01T12:00:00Z')
const minutes = (count: number) => new Date(start.getTime() + count * 60_000)
const signal = new AbortController().signal

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(
    `INSERT INTO experiments (id, name, kind, variants, created_at)
     SELECT id, id, 'pay_theme', '[]', now() FROM unnest(ARRAY['exp_1', 'exp_2']) id`,
  )
})
afterAll(() => database.close())

/** Runs statements without foreign keys and triggers, because only the counted tables matter. */
async function insert(...statements: [text: string, values: unknown[]][]): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query(
      "BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = '5min'",
    )
    for (const [text, values] of statements) await client.query(text, values)
    await client.query('COMMIT')
  } finally {
    client.release()
  }
}

const empty: [string, unknown[]] = ['TRUNCATE experiment_exposures, orders, ledger_lines CASCADE', []]

const exposures = fc.uniqueArray(
  fc.record({
    viewer: fc.nat({ max: 12 }),
    experiment: fc.constantFrom('exp_1', 'exp_2'),
    variant: fc.nat({ max: 2 }),
    minute: fc.nat({ max: 5 }),
  }),
  { maxLength: 20, selector: ({ viewer, experiment }) => `${viewer} ${experiment}` },
)

const orders = fc.array(
  fc.record({
    viewer: fc.nat({ max: 12 }),
    minute: fc.nat({ max: 10 }),
    paid: fc.boolean(),
    currency: fc.constantFrom('EUR', 'USD'),
    lines: fc.uniqueArray(
      fc.record({
        account: fc.constantFrom('sales:episode', 'bonus_sales', 'charged_back', 'gateway:stripe'),
        // The square of the large amount exceeds the integers that a number represents exactly.
        cents: fc.oneof(fc.integer({ min: -999, max: -1 }), fc.constant(-1_000_000_001)),
      }),
      { maxLength: 3, selector: ({ account }) => account },
    ),
  }),
  { maxLength: 12 },
)

test(
  'the sales counted in slices of any size equal those counted in one statement',
  { timeout: propertyTimeoutMs },
  () =>
    checkProperty(
      fc.asyncProperty(exposures, orders, fc.integer({ min: 1, max: 7 }), async (seen, bought, size) => {
        const lines = bought.flatMap(({ lines, currency }, order) =>
          lines.map((line) => ({ ...line, order, currency })),
        )
        await insert(
          empty,
          [
            `INSERT INTO experiment_exposures (viewer_id, experiment_id, variant, at)
             SELECT 'usr_' || viewer, experiment, variant, $2::timestamptz + minute * interval '1 minute'
             FROM json_to_recordset($1) AS seen (viewer int, experiment text, variant int, minute int)`,
            [JSON.stringify(seen), start],
          ],
          [
            `INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, paid_at, expires_at)
             SELECT 'ord_' || number - 1, 'usr_' || viewer, 'video', 'paid', 1, currency, 'sandbox', 'card', '',
               $2::timestamptz + minute * interval '1 minute', CASE WHEN paid THEN now() END, now()
             FROM ROWS FROM (json_to_recordset($1) AS (viewer int, minute int, paid boolean, currency text))
               WITH ORDINALITY AS bought (viewer, minute, paid, currency, number)`,
            [JSON.stringify(bought), start],
          ],
          [
            `INSERT INTO ledger_lines (transaction_id, order_id, account, amount_cents, currency, at)
             SELECT 'charge:' || "order", 'ord_' || "order", account, cents, currency, now()
             FROM json_to_recordset($1) AS line ("order" int, account text, cents bigint, currency text)`,
            [JSON.stringify(lines)],
          ],
        )
        for (const id of ['exp_1', 'exp_2']) {
          const inOne = sumVariants(await sumSales(database.db, id, minutes(8)))
          expect(await countSales(database.db, { id, until: minutes(8) }, signal, size)).toEqual(inOne)
        }
      }),
      { share: 0.25 },
    ),
)

test('an aborted count returns nothing', async () => {
  const stopped = new AbortController()
  stopped.abort()
  expect(await countSales(database.db, { id: 'exp_1', until: start }, stopped.signal)).toBeUndefined()
})

test('each slice of a large experiment reads only its own viewers, by an index', async () => {
  await insert(empty, [
    `INSERT INTO experiment_exposures (viewer_id, experiment_id, variant, at)
     SELECT 'usr_' || n, 'exp_' || experiment, n % 2, $1
     FROM generate_series(1, 5500) n, generate_series(1, 10) experiment`,
    [start],
  ])
  await database.pool.query('VACUUM ANALYZE experiment_exposures')
  const plans = await queryPlans(
    database,
    (db) => countSales(db, { id: 'exp_1', until: minutes(8) }, signal, 1000),
    'these values',
  )
  // One query checks whether there are more viewers than fit into a slice. For each slice, one query finds its end, and
  // another sums its sales.
  expect(plans).toHaveLength(1 + 6 + 6)
  for (const { sql, plan } of plans) {
    const scans = [...plan.matchAll(/(\S.*) on experiment_exposures/g)].map(([, scan]) => scan)
    expect(scans, sql).toEqual(['->  Index Only Scan using experiment_exposures_viewers'])
  }
})
