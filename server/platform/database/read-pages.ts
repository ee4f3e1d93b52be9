/** A page of the largest rows is written within a few milliseconds, so that other calls need not wait. */
const pageSize = 250

/** A list that is read page by page, each page when the one before has been used. */
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

/** Presents each row of a list that is read page by page. */
export async function* mapPages<Row, Shown>(
  pages: Pages<Row>,
  present: (row: Row) => Shown,
): AsyncGenerator<Shown[]> {
  for await (const page of pages) yield page.map(present)
}

export function isPages(value: unknown): value is Pages {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
