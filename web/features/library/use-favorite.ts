import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Video } from '#contract/catalog.ts'
import { addFavorite, removeFavorites } from '#contract/library.ts'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { call } from '#web/lib/api.ts'

/** Whoever likes a drama may want to hear of its new episodes. */
const offerAlerts = (queryClient: QueryClient) =>
  import('#web/features/alerts/offer-alerts.tsx')
    .then((offer) => offer.offerAlerts(queryClient))
    .catch(() => {})

/**
 * Makes a video a favorite or takes it out again: on screen at once, and back where the server did not take it
 * (the toast has said so).
 */
export function useFavorite(video: Video): (favorite: boolean) => void {
  const queryClient = useQueryClient()
  const { queryKey } = videoQuery(video.id)
  const show = (favorite: boolean) =>
    queryClient.setQueryData<Video>(queryKey, (known) => known && withFavorite(known, favorite))
  return (favorite) => {
    show(favorite)
    const sent: Promise<unknown> = favorite
      ? call(addFavorite, { body: { video_id: video.id } })
      : call(removeFavorites, { body: { video_ids: [video.id] } })
    sent
      .then(() => {
        void queryClient.invalidateQueries({ queryKey: ['favorites'] })
        return favorite ? offerAlerts(queryClient) : undefined
      })
      .catch(() => show(!favorite))
  }
}

/** The count follows at once, and only where something changes. */
function withFavorite(video: Video, favorite: boolean): Video {
  const change = Number(favorite) - Number(video.favorite)
  return { ...video, favorite, favorite_count: Math.max(0, video.favorite_count + change) }
}
