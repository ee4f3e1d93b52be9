interface Page<Item> {
  list: Item[]
  next_cursor: string | null
}

interface Walk<Item> {
  fetchPage(paging: { cursor?: string; limit: number }): Promise<Page<Item>>
  /** The sizes of the pages, in a cycle. */
  sizes: readonly number[]
  /** Runs after a page, before the next is requested; pages are counted from 0. */
  betweenPages(page: number): Promise<void>
}

/** A list with so many pages is repeating itself. */
const maxPages = 200

/** Reads a list page by page, running something between the pages. */
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
  throw new Error('the list has no end')
}
