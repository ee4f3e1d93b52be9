import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely'

/**
 * Number of rows per page. Serialising a page of the largest rows must take only a few milliseconds, because it delays
 * other calls.
 */
const pageSize = 250

/** A list that is read page by page, each after the previous one has been consumed. */
export type Pages<Row = unknown> = AsyncIterable<readonly Row[]>

/** Reads a list to its end; each page continues after the last row of the previous one. */
export async function* readPages<Row>(
  read: (after: Row | undefined, limit: number) => Promise<Row[]>,
  size = pageSize,
): AsyncGenerator<Row[]> {
  for (let after: Row | undefined; ;) {
    const page = await read(after, size)
    if (page.length > 0) yield page
    after = page.at(-1)
    if (after === undefined || page.length < size) return
  }
}

/** A column, or an expression, that a list is ordered by, and its value in a row. */
type KeyColumn<Row> = readonly [column: string | RawBuilder<unknown>, valueOf: (row: Row) => unknown]

/** Reads the rows of a query page by page, in ascending order of these columns, which together identify a row. */
export function readInOrder<Tables, Name extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Name, Row>,
  ...columns: KeyColumn<Row>[]
): Pages<Row> {
  const key = columns.map(([column]) => (typeof column === 'string' ? sql.ref(column) : column))
  const ordered = key.reduce((sorted, column) => sorted.orderBy(column), query)
  return readPages<Row>((last, limit) => {
    const after = last && sql.join(columns.map(([, valueOf]) => valueOf(last)))
    const rest = after ? ordered.where(sql<boolean>`(${sql.join(key)}) > (${after})`) : ordered
    return rest.limit(limit).execute()
  })
}

/** Maps each row of a list that is read page by page. */
export async function* mapPages<Row, Shown>(
  pages: Pages<Row>,
  present: (row: Row) => Shown,
): AsyncGenerator<Shown[]> {
  for await (const page of pages) yield page.map(present)
}

export function isPages(value: unknown): value is Pages {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
