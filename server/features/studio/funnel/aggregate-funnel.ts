import { takeUnaggregatedSales, type SalesSums } from '#server/features/billing/billing.ts'
import { anySteps, dequeueFunnelSteps } from '#server/features/tracking/tracking.ts'
import { runInBatches } from '#server/platform/database/run-in-batches.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  addCounts,
  addRevenue,
  noCounts,
  selectKnownTokens,
  unknownToken,
  type KeyedDayCounts,
} from './funnel-queries.ts'

/** SQL condition: true if there are uncounted steps or ledger lines. */
export const hasUncountedFunnelSql = `${anySteps} OR EXISTS (SELECT FROM unaggregated_ledger_lines)`

const batchSize = 5000

/**
 * Aggregates the funnel steps and ledger lines since the last run, in batches until none is left. A batch is removed
 * from the queue and added to the sums in one transaction. So each item counts once, even with several processes and
 * after a crash.
 */
export async function aggregateFunnel(db: Db, signal?: AbortSignal): Promise<void> {
  for (const aggregate of [aggregateSteps, aggregateSales])
    await runInBatches(db, aggregate, { limit: batchSize, signal })
}

const columnByStep = { visit: 'visits', play: 'plays', paywall: 'paywalls' } as const

async function aggregateSteps(tx: Tx, limit: number): Promise<number> {
  const steps = await replaceUnknownTokens(tx, await dequeueFunnelSteps(tx, limit))
  const counted = steps.flatMap(({ day, step, token, click, video_id, count }): KeyedDayCounts[] =>
    funnelKeys({ token, click, video_id }).map(([kind, key]) => ({
      ...noCounts,
      kind,
      key,
      day,
      [columnByStep[step]]: count,
    })),
  )
  if (counted.length > 0) await addCounts(tx, counted)
  return steps.reduce((sum, { row_count }) => sum + row_count, 0)
}

async function aggregateSales(tx: Tx, limit: number): Promise<number> {
  const { takenCount, sales } = await takeUnaggregatedSales(tx, limit)
  if (takenCount === 0) return 0
  const keyed = (await replaceUnknownTokens(tx, sales)).flatMap((sums) =>
    funnelKeys(sums).map(([kind, key]) => ({ ...sums, kind, key })),
  )
  // Also adds a row of counts for a key that has only refunds, because a list shows only keys with counts. Otherwise,
  // the rows of the list would not add up to the totals.
  await addCounts(
    tx,
    keyed.map(({ kind, key, day, paid }) => ({ ...noCounts, kind, key, day, paid })),
  )
  await addRevenue(tx, keyed)
  return takenCount
}

/**
 * Replaces unknown tokens by one common token. Clients can invent tokens, and each token would add rows that are never
 * deleted.
 */
async function replaceUnknownTokens<Row extends { token: string | null }>(tx: Tx, rows: readonly Row[]) {
  const tokens = new Set(rows.map(({ token }) => token).filter((token) => token !== null && token !== ''))
  const known = await selectKnownTokens(
    tx,
    [...tokens].filter((token) => token !== null),
  )
  return rows.map((row) => ({
    ...row,
    token: row.token === null || row.token === '' || known.has(row.token) ? row.token : unknownToken,
  }))
}

type FunnelOrigin = {
  [Part in keyof Pick<SalesSums, 'token' | 'click' | 'video_id'>]: SalesSums[Part] | null
}

/** Returns the keys under which a step or sale is counted. There is one key for each part that is not null. */
function funnelKeys({ token, click, video_id }: FunnelOrigin): [KeyedDayCounts['kind'], string][] {
  const keys: [KeyedDayCounts['kind'], string | null][] = [
    ['token', token],
    ['click', click],
    ['video', video_id],
  ]
  return keys.filter((pair): pair is [KeyedDayCounts['kind'], string] => pair[1] !== null)
}
