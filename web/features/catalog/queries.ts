import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { QueryOf, ResultOf } from '#contract/endpoint.ts'
import { getHomepage, getVideo, listTags, queryHomepage } from '#contract/catalog.ts'
import { call } from '#web/lib/api.ts'
import { boot } from '#web/lib/boot.ts'
import { saveRecord, readRecord } from '#web/lib/storage.ts'

type Homepage = ResultOf<typeof getHomepage>
type Listing = Pick<QueryOf<typeof queryHomepage>, 'section' | 'menu' | 'tag' | 'keyword' | 'sort'>

/** At `/?draft`, the homepage that an operator composes in this browser's studio (web/studio/homepage). */
const draft = location.search === '?draft' ? readRecord<Homepage>('homepage-draft') : undefined

/** The homepage, kept between visits and shown at once on the next one. */
export const homepageQuery = queryOptions({
  queryKey: ['homepage'],
  queryFn: async ({ signal }) =>
    draft ?? saveRecord<Homepage>('homepage', await call(getHomepage, { signal })),
  initialData: () => draft ?? boot?.homepage ?? readRecord<Homepage>('homepage'),
  initialDataUpdatedAt: 0,
})

/** One listing, page after page. */
export const listingQuery = (listing: Listing) =>
  infiniteQueryOptions({
    queryKey: ['listing', listing],
    queryFn: ({ pageParam, signal }) =>
      call(queryHomepage, { query: { ...listing, cursor: pageParam, limit: 42 }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

export const videoQuery = (id: string) =>
  queryOptions({
    queryKey: ['video', id],
    queryFn: ({ signal }) => call(getVideo, { query: { id }, signal }),
    initialData: () => (boot?.video?.id === id ? boot.video : undefined),
    initialDataUpdatedAt: boot?.undecided ? 0 : performance.timeOrigin,
  })

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
