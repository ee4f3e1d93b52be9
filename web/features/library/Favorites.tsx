import { useInfiniteQuery } from '@tanstack/react-query'
import { removeFavorites, type FavoriteEntry } from '#contract/library.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { PersonalList, type LibraryEntry } from './PersonalList.tsx'
import { favoritesQuery } from './queries.ts'
import { useRemoveEntries } from './use-remove-entries.ts'

/** The user's favorites, the latest first. */
export function Favorites() {
  const { t } = useTranslation()
  const pages = useInfiniteQuery(favoritesQuery)
  const remove = useRemoveEntries<FavoriteEntry>(
    favoritesQuery.queryKey,
    ({ id }) => id,
    (ids) => call(removeFavorites, { body: { video_ids: ids } }),
  )
  const lines = (pages.data?.pages ?? []).flatMap(({ list }) =>
    list.map((video): LibraryEntry => ({
      key: video.id,
      video,
      notes: [
        t('card.episodes', { count: video.episode_count }),
        t('lists.since', { date: formatLongDate(video.favorited_at) }),
      ],
    })),
  )
  return (
    <PersonalList
      title={t('menu.favorites')}
      empty={t('lists.favoritesEmpty')}
      pages={pages}
      entries={lines}
      onRemove={remove}
    />
  )
}
