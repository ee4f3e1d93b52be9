import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { Card } from './Card.tsx'
import { homepageQuery } from './queries.ts'
import { CardSection } from './Section.tsx'
import styles from './suggested-dramas.module.css'

const maxDramas = 12

/** Dramas of the homepage, for screens that have no content of their own. */
export function SuggestedDramas() {
  const { t } = useTranslation()
  const sections = useQuery(homepageQuery).data?.homepage ?? []
  const videos = new Map(sections.flatMap(({ items }) => items.map((video) => [video.id, video])))
  if (videos.size === 0) return null
  return (
    <div className={styles.suggested}>
      <CardSection title={t('list.suggested')} row>
        {[...videos.values()].slice(0, maxDramas).map((video) => (
          <li key={video.id}>
            <Card video={video} />
          </li>
        ))}
      </CardSection>
    </div>
  )
}

/** The empty state of a list: the reason, a link to the homepage, and dramas of the homepage. */
export function EmptyList({ text }: { text: string }) {
  const { t } = useTranslation()
  return (
    <>
      <p>{text}</p>
      <Link className={buttonClass('main')} to={paths.home.to()}>
        {t('list.browseDramas')}
      </Link>
      <SuggestedDramas />
    </>
  )
}
