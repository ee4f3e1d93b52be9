import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { CallRejected } from '#web/lib/api.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { ListFoot } from '#web/ui/ListFoot.tsx'
import { Card, CardSkeleton } from './Card.tsx'
import { listingQuery } from './queries.ts'
import { SuggestedDramas } from './SuggestedDramas.tsx'
import styles from './listing.module.css'
import section from './section.module.css'

const page = Array.from({ length: 21 }, (_, i) => <CardSkeleton key={i} />)

interface ListingProps {
  listing: Parameters<typeof listingQuery>[0]
  title?: string
  /** What stands there where the list does not exist. */
  missing: ReactNode
}

/** One list of videos with its four states: loading, load more, no more content, could not load. */
export function Listing({ listing, title, missing }: ListingProps) {
  const { t } = useTranslation()
  const pages = useInfiniteQuery(listingQuery(listing))
  if (pages.error instanceof CallRejected && pages.error.code === 404) return missing
  const videos = pages.data?.pages.flatMap(({ list }) => list) ?? []
  const heading = title ?? pages.data?.pages[0]?.title ?? ''
  return (
    <section className={styles.listing}>
      {heading && <title>{heading}</title>}
      <h1 className={styles.title}>{heading}</h1>
      {pages.isPending && (
        <div role="status" aria-label={t('list.loading')} className={section.grid}>
          {page}
        </div>
      )}
      <ul className={section.grid} hidden={videos.length === 0}>
        {videos.map((video) => (
          <li key={video.id}>
            <Card video={video} />
          </li>
        ))}
      </ul>
      <ListFoot
        pages={pages}
        empty={<Empty text={listing.keyword ? t('list.notFound') : t('list.empty')} />}
      />
    </section>
  )
}

function Empty({ text }: { text: string }) {
  const { t } = useTranslation()
  return (
    <>
      <p>{text}</p>
      <Link className={buttonClass('main')} to={paths.home.to()}>
        {t('list.emptyWay')}
      </Link>
      <SuggestedDramas />
    </>
  )
}
