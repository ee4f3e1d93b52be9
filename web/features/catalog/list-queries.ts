import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listTags, queryHomepage, type VideoCard } from '#contract/catalog.ts'
import type { QueryOf } from '#contract/endpoint.ts'
import { call } from '#web/lib/api.ts'

type Listing = Pick<QueryOf<typeof queryHomepage>, 'section' | 'menu' | 'tag' | 'keyword' | 'sort'>

/** A listing, paginated. */
export const listingQuery = (listing: Listing) =>
  infiniteQueryOptions({
    queryKey: ['listing', listing],
    queryFn: ({ pageParam, signal }) =>
      call(queryHomepage, { query: { ...listing, cursor: pageParam, limit: 42 }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

interface FeedPage {
  source: 'section' | 'popular'
  cursor?: string
}

const perPage = 10

/**
 * The dramas of a feed: first the dramas of a section, then the most popular dramas. A drama may occur twice. Fetched
 * once per visit, so that the order is the same when the viewer returns from a drama.
 */
export const feedQuery = (section: string) =>
  infiniteQueryOptions({
    queryKey: ['feed', section],
    queryFn: ({ pageParam: { source, cursor }, signal }) => {
      const list = source === 'section' ? { section } : { sort: 'popular' as const }
      return call(queryHomepage, { query: { ...list, cursor, limit: perPage }, signal })
    },
    initialPageParam: { source: 'section' } as FeedPage,
    getNextPageParam: ({ next_cursor }, _pages, { source }): FeedPage | undefined => {
      if (next_cursor) return { source, cursor: next_cursor }
      return source === 'section' ? { source: 'popular' } : undefined
    },
    // Never stale: a viewer who returns from a drama after a long time finds the same position.
    staleTime: Infinity,
    gcTime: Infinity,
  })

/** Removes repeated dramas. The first occurrence stays, so that no drama moves while the viewer watches. */
export function withoutRepeats(cards: readonly VideoCard[]): VideoCard[] {
  const first = new Map<string, VideoCard>()
  for (const card of cards) if (!first.has(card.id)) first.set(card.id, card)
  return [...first.values()]
}

/** The tags, trending tags first. */
export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: ({ signal }) => call(listTags, { query: { limit: 30 }, signal }),
})

/** Tags and titles that match a partly typed search. The previous results stay until the response arrives. */
export const typeAheadQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['tags', keyword],
    queryFn: ({ signal }) => call(listTags, { query: { keyword, limit: 5 }, signal }),
    enabled: keyword !== '',
    placeholderData: keepPreviousData,
  })
