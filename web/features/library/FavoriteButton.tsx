import type { Video } from '#contract/catalog.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatShortCount } from '#web/lib/format.ts'
import { ControlButton } from '#web/player/ui/Controls.tsx'
import { useFavorite } from './use-favorite.ts'

/** The favorite button beside an episode, with the number of viewers who have the video as a favorite. */
export function FavoriteButton({ video }: { video: Video }) {
  const { t } = useTranslation()
  const setFavorite = useFavorite(video)
  return (
    <ControlButton
      icon="heart"
      label={t(video.favorite ? 'video.unfavorite' : 'video.favorite')}
      pressed={video.favorite}
      note={video.favorite_count > 0 ? formatShortCount(video.favorite_count) : undefined}
      onClick={() => setFavorite(!video.favorite)}
    />
  )
}
