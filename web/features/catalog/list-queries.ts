import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listTags, queryHomepage, type VideoCard } from '#contract/catalog.ts'
import type { QueryOf } from '#contract/endpoint.ts'
import { call } from '#web/lib/api.ts'

type Listing = Pick<QueryOf<typeof queryHomepage>, 'section' | 'menu' | 'tag' | 'keyword' | 'sort'>

/** One listing, page after page. */
export const listingQuery = (listing: Listing) =>
  infiniteQueryOptions({
    queryKey: ['listing', listing],
    queryFn: ({ pageParam, signal }) =>
      call(queryHomepage, { query: { ...listing, cursor: pageParam, limit: 42 }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

interface FeedPage {
  of: 'section' | 'popular'
  cursor?: string
}

const perPage = 10

/**
 * The dramas of a feed: those of a section, then the most watched ones, which may repeat some. Read once a visit, so that
 * the feed stays in its order while its viewer goes to a drama and comes back.
 */
export const feedQuery = (section: string) =>
  infiniteQueryOptions({
    queryKey: ['feed', section],
    queryFn: ({ pageParam: { of, cursor }, signal }) => {
      const list = of === 'section' ? { section } : { sort: 'popular' as const }
      return call(queryHomepage, { query: { ...list, cursor, limit: perPage }, signal })
    },
    initialPageParam: { of: 'section' } as FeedPage,
    getNextPageParam: ({ next_cursor }, _pages, { of }): FeedPage | undefined => {
      if (next_cursor) return { of, cursor: next_cursor }
      return of === 'section' ? { of: 'popular' } : undefined
    },
    // The way back from a drama that was watched for long leads to the same place.
    staleTime: Infinity,
    gcTime: Infinity,
  })

/** The most watched dramas repeat those of a section: each stays where it came first, so that none moves under the viewer. */
export function withoutRepeats(cards: readonly VideoCard[]): VideoCard[] {
  const first = new Map<string, VideoCard>()
  for (const card of cards) if (!first.has(card.id)) first.set(card.id, card)
  return [...first.values()]
}

/** The tags, the trending ones first. */
export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: ({ signal }) => call(listTags, { query: { limit: 30 }, signal }),
})

/** Tags and titles for a partly typed search; the previous results stay until the answer arrives. */
export const typeAheadQuery = (words: string) =>
  queryOptions({
    queryKey: ['tags', words],
    queryFn: ({ signal }) => call(listTags, { query: { keyword: words, limit: 5 }, signal }),
    enabled: words !== '',
    placeholderData: keepPreviousData,
  })
