import { useTranslation } from '#web/i18n/use-translation.ts'
import { CardSkeleton } from './Card.tsx'
import carousel from './carousel.module.css'
import section from './section.module.css'

const skeletonCards = Array.from({ length: 8 }, (_, i) => <CardSkeleton key={i} />)

/** Placeholder of the homepage while it loads. */
export function HomeSkeleton() {
  const { t } = useTranslation()
  return (
    <div role="status" aria-label={t('list.loading')}>
      <div className={carousel.track} style={{ overflow: 'hidden' }}>
        <div className={carousel.slide} style={{ background: 'var(--raised)' }} />
        <div className={carousel.slide} style={{ background: 'var(--raised)' }} />
      </div>
      {[1, 2, 3].map((row) => (
        <div key={row} className={section.section}>
          <div className={section.head} />
          <div className={section.row} style={{ overflow: 'hidden' }}>
            {skeletonCards}
          </div>
        </div>
      ))}
    </div>
  )
}
