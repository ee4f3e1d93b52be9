import type { Pool } from 'pg'
import { fillCatalogue } from '#bench/catalogue/fill-catalogue.ts'
import {
  prepareForFilling,
  dropIndexes,
  insertRows,
  isStepPending,
  makeIndexes,
  runStepOnce,
  type ProgressReport,
} from '#bench/site/fill-tables.ts'
import type { SiteSize } from './studio-size.ts'
import { moneySteps } from './money-steps.ts'
import { siteSteps } from './site-steps.ts'

const historyEach = 20

/** Tables that are loaded without their indexes. */
const loaded = [
  'sessions',
  'attribution',
  'experiment_exposures',
  'orders',
  'payment_attempts',
  'ledger_lines',
  'entitlements',
  'webhook_events',
  'audit_events',
]

/** Fills an empty, migrated database with the data of a site after a year. An interrupted run is resumed. */
export async function fillStudio(pool: Pool, size: SiteSize, report: ProgressReport): Promise<void> {
  const { videos, people, watchers, eventDays } = size
  await fillCatalogue(pool, { videos, people, watchers, historyEach }, report)
  const client = await pool.connect()
  try {
    await prepareForFilling(client)
    await runStepOnce(client, 'studio: indexes dropped', () => dropIndexes(client, loaded))
    await runStepOnce(client, 'studio: months of events', async () => {
      await client.query(
        "SELECT create_events_partition(now() - ago * interval '1 day') FROM generate_series(0, $1::int) AS ago",
        [eventDays],
      )
    })
    for (const step of [...siteSteps(size), ...moneySteps(size)]) await insertRows(client, step, report)
    await makeIndexes(client, loaded, report)
    if (await isStepPending(client, 'studio: vacuumed')) {
      await client.query('VACUUM ANALYZE')
      await runStepOnce(client, 'studio: vacuumed', async () => {})
    }
  } finally {
    client.release(true)
  }
}
