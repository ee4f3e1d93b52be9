import { queryOptions } from '@tanstack/react-query'
import { getEpisode } from '#contract/media.ts'
import { call } from '#web/lib/api.ts'

/** The first episode of a video; null if it has no episodes. */
export const firstEpisodeQuery = (videoId: string) =>
  queryOptions({
    queryKey: ['first-episode', videoId],
    queryFn: async ({ signal }) => {
      const page = await call(getEpisode, { query: { video_id: videoId, limit: 1 }, signal })
      return ('list' in page && page.list[0]) || null
    },
  })
