import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Video } from '#contract/catalog.ts'
import { addFavorite, removeFavorites } from '#contract/library.ts'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { call } from '#web/lib/api.ts'

/** Offers alerts about new episodes after the viewer has added a favorite. Errors are ignored. */
const offerAlerts = (queryClient: QueryClient) =>
  import('#web/features/alerts/offer-alerts.tsx')
    .then((offer) => offer.offerAlerts(queryClient))
    .catch(() => {})

/**
 * Returns a function that adds or removes a favorite, with an optimistic update. If the server rejects the change, the
 * server's state is loaded again, and a toast has shown the error.
 */
export function useFavorite(video: Video): (favorite: boolean) => void {
  const queryClient = useQueryClient()
  const { queryKey } = videoQuery(video.id)
  const updateCache = (favorite: boolean) =>
    queryClient.setQueryData<Video>(queryKey, (known) => known && withFavorite(known, favorite))
  return (favorite) => {
    updateCache(favorite)
    const request: Promise<unknown> = favorite
      ? call(addFavorite, { body: { video_id: video.id } })
      : call(removeFavorites, { body: { video_ids: [video.id] } })
    request
      .then(() => {
        void queryClient.invalidateQueries({ queryKey: ['favorites'] })
        return favorite ? offerAlerts(queryClient) : undefined
      })
      .catch(() => queryClient.invalidateQueries({ queryKey }))
  }
}

/** Returns the video with the new state. The count changes only if the state changes. */
function withFavorite(video: Video, favorite: boolean): Video {
  const change = Number(favorite) - Number(video.favorite)
  return { ...video, favorite, favorite_count: Math.max(0, video.favorite_count + change) }
}
