import type { VariantSales } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'
import {
  allViewers,
  hasMoreViewers,
  selectSliceEnd,
  sumSales,
  type SalesRow,
  type ViewerRange,
} from './experiment-sales-queries.ts'

/** Number of viewers per slice. A slice takes about 0.2 seconds, and the time-out of a job's statement is 30 s. */
const defaultSliceSize = 20_000

/**
 * Counts an experiment's sales, slice by slice in the order of the viewers' ids. All slices read one snapshot: a guest
 * who becomes a member between two slices would otherwise be counted twice or not at all. Therefore a count that was
 * aborted starts again.
 * @returns undefined if `signal` was aborted
 */
export function countSales(
  db: Db,
  { id, until }: { id: string; until: Date },
  signal: AbortSignal,
  sliceSize = defaultSliceSize,
): Promise<VariantSales[] | undefined> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const rows: SalesRow[] = []
      for await (const range of slicesOf(tx, id, sliceSize)) {
        if (signal.aborted) return undefined
        rows.push(...(await sumSales(tx, id, until, range)))
      }
      return sumVariants(rows)
    })
}

/** Returns the ranges of viewers of an experiment: one range if they are few. */
async function* slicesOf(tx: Db, experimentId: string, size: number): AsyncGenerator<ViewerRange> {
  if (!(await hasMoreViewers(tx, experimentId, size))) return yield allViewers
  let after = ''
  for (;;) {
    const last = await selectSliceEnd(tx, experimentId, after, size)
    yield { after, last }
    if (last === undefined) return
    after = last
  }
}

/** Adds up the sums of all slices. They contain different viewers, so the numbers of buyers add up too. */
export function sumVariants(rows: readonly SalesRow[]): VariantSales[] {
  const byVariant = [...Map.groupBy(rows, ({ variant }) => variant)].toSorted(([a], [b]) => a - b)
  return byVariant.map(([variant, sums]) => {
    const byCurrency = Map.groupBy(sums, ({ currency }) => currency ?? '')
    const counts = byCurrency.get('') ?? []
    byCurrency.delete('')
    return {
      variant,
      exposed: total(counts, 'exposed'),
      buyers: total(counts, 'buyers'),
      revenue: [...byCurrency].toSorted().map(([currency, sums]) => ({
        currency,
        net_cents: total(sums, 'net_cents'),
        squares: total(sums, 'squares'),
      })),
    }
  })
}

/** Adds integers that may be larger than a number represents exactly. */
const total = (rows: readonly SalesRow[], column: 'exposed' | 'buyers' | 'net_cents' | 'squares') =>
  Number(rows.reduce((sum, row) => sum + BigInt(row[column]), 0n))
