import { queryOptions } from '@tanstack/react-query'
import type { ResultOf } from '#contract/endpoint.ts'
import { getHomepage, getVideo } from '#contract/catalog.ts'
import { call } from '#web/lib/api.ts'
import { boot } from '#web/lib/boot.ts'
import { saveRecord, readRecord } from '#web/lib/storage.ts'

type Homepage = ResultOf<typeof getHomepage>

/**
 * At `/?draft`: the unsaved homepage that an operator edits in the studio, in the same browser (web/studio/homepage).
 */
const draft = location.search === '?draft' ? readRecord<Homepage>('homepage-draft') : undefined

/** The homepage. It is stored in the browser and shown at once on the next visit. */
export const homepageQuery = queryOptions({
  queryKey: ['homepage'],
  queryFn: async ({ signal }) =>
    draft ?? saveRecord<Homepage>('homepage', await call(getHomepage, { signal })),
  initialData: () => draft ?? boot?.homepage ?? readRecord<Homepage>('homepage'),
  initialDataUpdatedAt: 0,
})

export const videoQuery = (id: string) =>
  queryOptions({
    queryKey: ['video', id],
    queryFn: ({ signal }) => call(getVideo, { query: { id }, signal }),
    initialData: () => (boot?.video?.id === id ? boot.video : undefined),
    initialDataUpdatedAt: boot?.undecided ? 0 : performance.timeOrigin,
  })
