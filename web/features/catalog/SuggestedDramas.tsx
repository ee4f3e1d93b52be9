import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Card } from './Card.tsx'
import { homepageQuery } from './queries.ts'
import { Block } from './Section.tsx'
import styles from './suggested-dramas.module.css'

const most = 12

/** Dramas of the homepage, for screens that have nothing of their own to show. */
export function SuggestedDramas() {
  const { t } = useTranslation()
  const sections = useQuery(homepageQuery).data?.homepage ?? []
  const videos = new Map(sections.flatMap(({ items }) => items.map((video) => [video.id, video])))
  if (videos.size === 0) return null
  return (
    <div className={styles.suggested}>
      <Block title={t('list.suggested')} row>
        {[...videos.values()].slice(0, most).map((video) => (
          <li key={video.id}>
            <Card video={video} />
          </li>
        ))}
      </Block>
    </div>
  )
}
