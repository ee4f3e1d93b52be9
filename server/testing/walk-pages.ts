interface Page<Item> {
  list: Item[]
  next_cursor: string | null
}

interface Walk<Item> {
  read(paging: { cursor?: string; limit: number }): Promise<Page<Item>>
  /** The sizes of the pages, one after the other and again from the first. */
  sizes: readonly number[]
  /** What happens after a page, before the next is asked for; pages are counted from 0. */
  meanwhile(page: number): Promise<void>
}

/** A list that goes on for so many pages gives the same again and again. */
const mostPages = 200

/** Reads a list page by page while something happens between the pages. */
export async function walkPages<Item>({ read, sizes, meanwhile }: Walk<Item>): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const limit = sizes[page % sizes.length] ?? 1
    const { list, next_cursor } = await read({ limit, ...(cursor === undefined ? {} : { cursor }) })
    items.push(...list)
    if (next_cursor === null) return items
    cursor = next_cursor
    await meanwhile(page)
  }
  throw new Error('the list has no end')
}
