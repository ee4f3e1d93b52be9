import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import type { PaginatedQuery } from './ListFooter.tsx'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const base: PaginatedQuery = {
  data: { pages: [{ list: [1] }] },
  isError: false,
  hasNextPage: false,
  isFetchingNextPage: false,
  fetchNextPage: () => {},
  refetch: () => {},
}

async function footOf(
  pages: Partial<PaginatedQuery>,
  empty: ReactNode = <p>Nothing yet</p>,
): Promise<string> {
  const { ListFooter } = await import('./ListFooter.tsx')
  return renderToStaticMarkup(<ListFooter pages={{ ...base, ...pages }} empty={empty} />)
}

it('offers the next page, shows that it is loading, and marks the end of a list of several pages', async () => {
  expect(await footOf({ hasNextPage: true })).toContain('>Load more</button>')
  const loading = await footOf({ hasNextPage: true, isFetchingNextPage: true })
  expect(loading).toContain('>Loading</button>')
  expect(loading).toContain('disabled')
  const pages = [{ list: [1] }, { list: [2] }]
  expect(await footOf({ data: { pages } })).toContain('That’s everything.')
})

it('shows no text below a list of one page', async () => {
  expect(await footOf({})).not.toContain('<p>')
})

it('renders nothing below a list of one page if `empty` is null', async () => {
  expect(await footOf({}, null)).toBe('')
  expect(await footOf({ data: undefined }, null)).not.toBe('')
  expect(await footOf({ hasNextPage: true }, null)).toContain('>Load more</button>')
  expect(await footOf({ isError: true }, null)).toContain('>Try again</button>')
})

it('shows that loading failed, with a retry button', async () => {
  const failed = await footOf({ isError: true })
  expect(failed).toContain('We couldn’t load this.')
  expect(failed).toContain('>Try again</button>')
})

it('shows the given text for an empty list, and nothing while the list loads', async () => {
  expect(await footOf({ data: { pages: [{ list: [] }] } })).toContain('Nothing yet')
  expect(await footOf({ data: undefined })).not.toContain('<p>')
})
