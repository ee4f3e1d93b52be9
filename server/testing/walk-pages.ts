interface Page<Item> {
  list: Item[]
  next_cursor: string | null
}

interface Walk<Item> {
  fetchPage(paging: { cursor?: string; limit: number }): Promise<Page<Item>>
  /** Sizes of the pages, repeated in a cycle. */
  sizes: readonly number[]
  /** Called after each page, before the next one is requested. Pages are counted from 0. */
  betweenPages(page: number): Promise<void>
}

/** Maximum number of pages. A list with more pages must be repeating itself. */
const maxPages = 200

/** Reads a list page by page, and calls `betweenPages` between the pages. */
export async function walkPages<Item>({ fetchPage, sizes, betweenPages }: Walk<Item>): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const limit = sizes[page % sizes.length] ?? 1
    const { list, next_cursor } = await fetchPage({ limit, ...(cursor === undefined ? {} : { cursor }) })
    items.push(...list)
    if (next_cursor === null) return items
    cursor = next_cursor
    await betweenPages(page)
  }
  throw new Error(`the list has more than ${maxPages} pages`)
}
