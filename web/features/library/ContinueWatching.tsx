import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { Card } from '#web/features/catalog/Card.tsx'
import { CardSection } from '#web/features/catalog/Section.tsx'
import { recentlyWatchedQuery } from './queries.ts'

/** The row "continue watching"; renders nothing without a watch history. */
export function ContinueWatching() {
  const { t } = useTranslation()
  const user = useQuery(userQuery)
  const { data = [] } = useQuery({ ...recentlyWatchedQuery, enabled: user.isFetched })
  if (data.length === 0) return null
  return (
    // The key remounts the row when its first card changes. Otherwise the browser would keep the scroll position, and
    // the new card would be out of view.
    <CardSection key={data[0]?.video.id} title={t('home.continue')} row>
      {data.map(({ video, episode, position_ms }) => (
        <li key={video.id}>
          <Card
            video={video}
            episode={episode.number}
            note={t('home.continueEpisode', { number: episode.number })}
            watched={episode.duration_ms ? position_ms / episode.duration_ms : 0}
          />
        </li>
      ))}
    </CardSection>
  )
}
