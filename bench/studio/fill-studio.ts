import type { Pool } from 'pg'
import { fillCatalogue } from '#bench/catalogue/fill-catalogue.ts'
import {
  beginFilling,
  dropIndexes,
  fill,
  isLeft,
  makeIndexes,
  once,
  type Report,
} from '#bench/site/fill-tables.ts'
import type { SiteSize } from './site-size.ts'
import { moneySteps } from './money-steps.ts'
import { siteSteps } from './site-steps.ts'

/** Returns the data of a large site after a year, or a part of it. */
export function siteSize(part: number): SiteSize {
  const of = (whole: number) => Math.round(whole * part)
  return {
    videos: of(10_000),
    people: of(100_000),
    orders: of(200_000),
    events: of(5_000_000),
    auditEvents: of(400_000),
  }
}

const historyEach = 20

/** Tables that are loaded without their indexes. */
const loaded = ['orders', 'attempts', 'ledger_lines', 'entitlements', 'webhook_events', 'audit_events']

/** Fills an empty, migrated database with a year of a site's data. An interrupted run is resumed. */
export async function fillStudio(pool: Pool, size: SiteSize, report: Report): Promise<void> {
  const { videos, people } = size
  await fillCatalogue(pool, { videos, people, historyEach }, report)
  const client = await pool.connect()
  try {
    await beginFilling(client)
    await once(client, 'studio: indexes dropped', () => dropIndexes(client, loaded))
    await once(client, 'studio: months of events', async () => {
      await client.query(
        "SELECT make_events_month(now() - ago * interval '1 month') FROM generate_series(0, 3) AS ago",
      )
    })
    for (const step of [...siteSteps(size), ...moneySteps(size)]) await fill(client, step, report)
    await once(client, 'studio: indexes made', () => makeIndexes(client, loaded, report))
    if (await isLeft(client, 'studio: vacuumed')) {
      await client.query('VACUUM ANALYZE')
      await once(client, 'studio: vacuumed', async () => {})
    }
  } finally {
    client.release(true)
  }
}
