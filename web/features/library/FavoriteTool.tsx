import type { Video } from '#contract/catalog.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { shortCount } from '#web/lib/format.ts'
import { Tool } from '#web/player/ui/Controls.tsx'
import { useFavorite } from './use-favorite.ts'

/** Favorite button beside an episode, with the video's number of favorites. */
export function FavoriteTool({ video }: { video: Video }) {
  const { t } = useTranslation()
  const favor = useFavorite(video)
  return (
    <Tool
      icon="heart"
      label={t(video.favorite ? 'video.unfavorite' : 'video.favorite')}
      pressed={video.favorite}
      note={video.favorite_count > 0 ? shortCount(video.favorite_count) : undefined}
      onClick={() => favor(!video.favorite)}
    />
  )
}
