import type { FunnelKind } from '#contract/studio/funnel.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import {
  selectCounts,
  selectLinkNames,
  selectRevenue,
  selectRevenueTotals,
  selectTitles,
  type FunnelPosition,
} from './funnel-queries.ts'
import { splitIntoBuckets } from './day-buckets.ts'

/** Reads a page of the funnel and the totals from one snapshot, so that the rows of all pages add up to the totals. */
export function readFunnel(
  db: Db,
  by: FunnelKind,
  span: DaySpan,
  page: { after: FunnelPosition; limit: number },
) {
  const buckets = splitIntoBuckets(span)
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows, totals: counts } = await selectCounts(tx, by, buckets, page)
      const money = await selectRevenue(tx, by, buckets, keysOf(rows))
      const totals = { counts, money: await selectRevenueTotals(tx, buckets) }
      return { rows, money, totals }
    })
}

const keysOf = (rows: readonly { key: string }[]) => rows.map(({ key }) => key)

/**
 * Returns the display names of these keys: a campaign link's name or a video's title. Kinds of ad click have no name.
 */
export async function loadKeyNames(
  db: Db,
  by: FunnelKind,
  rows: readonly { key: string }[],
  language: Language,
): Promise<Map<string, string>> {
  if (by === 'click') return new Map()
  if (by === 'token') return selectLinkNames(db, keysOf(rows))
  const titles = await selectTitles(db, keysOf(rows))
  return new Map([...titles].map(([id, texts]) => [id, textInLanguage(texts, language)]))
}
