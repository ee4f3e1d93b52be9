import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { Card } from '#web/features/catalog/Card.tsx'
import { CardSection } from '#web/features/catalog/Section.tsx'
import { continuePointOf } from './continue-point.ts'
import { recentlyWatchedQuery } from './queries.ts'

/** The row "continue watching"; renders nothing if there is no drama to continue. */
export function ContinueWatching() {
  const { t } = useTranslation()
  const user = useQuery(userQuery)
  const { data = [] } = useQuery({ ...recentlyWatchedQuery, enabled: user.isFetched })
  const started = data.flatMap((entry) => {
    const point = continuePointOf(entry)
    return point ? [{ video: entry.video, ...point }] : []
  })
  if (started.length === 0) return null
  return (
    // The key remounts the row when its first card changes. Otherwise the browser would keep the scroll position, and
    // the new card would be out of view.
    <CardSection key={started[0]?.video.id} title={t('home.continue')} row>
      {started.map(({ video, number, watched }) => (
        <li key={video.id}>
          <Card
            video={video}
            episode={number}
            note={t('home.continueEpisode', { number })}
            watched={watched}
          />
        </li>
      ))}
    </CardSection>
  )
}
