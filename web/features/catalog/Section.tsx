import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import type { ReactNode } from 'react'
import type { Section } from '#contract/catalog.ts'
import { paths } from '#web/lib/paths.ts'
import { Card } from './Card.tsx'
import { Carousel } from './Carousel.tsx'
import { HorizontalScroller } from './HorizontalScroller.tsx'
import styles from './section.module.css'

export function HomeSection({ section, first }: { section: Section; first: boolean }) {
  const { t } = useTranslation()
  if (section.items.length === 0) return null
  if (section.kind === 'carousel')
    return <Carousel videos={section.items} title={section.title} eager={first} />
  const more = section.has_more && (
    <Link
      className={styles.more}
      to={paths.more.to(section.id)}
      aria-label={`${t('list.seeAll')}: ${section.title}`}
    >
      {t('list.seeAll')}
    </Link>
  )
  return (
    <CardSection title={section.title} more={more} row={section.kind !== 'grid'}>
      {section.items.map((video, i) => (
        <li key={video.id}>
          <Card video={video} {...(section.kind === 'ranking' ? { rank: i + 1 } : {})} />
        </li>
      ))}
    </CardSection>
  )
}

/** A titled block of cards: a grid, or one row that scrolls horizontally. */
export function CardSection({
  title,
  more,
  row,
  children,
}: {
  title: string
  more?: ReactNode
  row: boolean
  children: ReactNode
}) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {more}
      </div>
      {row ? (
        <HorizontalScroller title={title} className={styles.row}>
          {children}
        </HorizontalScroller>
      ) : (
        <ul className={styles.grid}>{children}</ul>
      )}
    </section>
  )
}
