import { queryOptions } from '@tanstack/react-query'
import { parseStoryboard } from '#web/player/engine/storyboard.ts'

/** The frames of a storyboard; none if it failed to load. */
export const storyboardQuery = (url: string) =>
  queryOptions({
    queryKey: ['storyboard', url],
    queryFn: async ({ signal }) => {
      const response = await fetch(url, { signal })
      return response.ok ? parseStoryboard(await response.text(), response.url) : []
    },
    staleTime: Infinity,
  })
