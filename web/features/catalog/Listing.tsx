import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { Card, CardSkeleton } from './Card.tsx'
import { listingQuery } from './queries.ts'
import styles from './listing.module.css'
import section from './section.module.css'

const page = Array.from({ length: 21 }, (_, i) => <CardSkeleton key={i} />)

/** One list of videos with its four states: loading, load more, no more content, could not load. */
export function Listing({ listing, title }: { listing: Parameters<typeof listingQuery>[0]; title?: string }) {
  const { t } = useTranslation()
  const { data, isError, isPending, refetch, ...pages } = useInfiniteQuery(listingQuery(listing))
  const videos = data?.pages.flatMap(({ list }) => list) ?? []
  const heading = title ?? data?.pages[0]?.title ?? ''
  return (
    <section className={styles.listing}>
      {heading && <title>{heading}</title>}
      <h1 className={styles.title}>{heading}</h1>
      {isPending && (
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
      <Foot>
        {isError && <CouldNotLoad onRetry={() => void (data ? pages.fetchNextPage() : refetch())} />}
        {!isError && pages.hasNextPage && (
          <Button look="quiet" onClick={() => void pages.fetchNextPage()} disabled={pages.isFetchingNextPage}>
            {pages.isFetchingNextPage ? t('list.loading') : t('list.more')}
          </Button>
        )}
        {data && !isError && !pages.hasNextPage && (videos.length ? <p>{t('list.end')}</p> : <Empty />)}
      </Foot>
    </section>
  )
}

function Foot({ children }: { children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>
}

function Empty() {
  const { t } = useTranslation()
  return (
    <>
      <p>{t('list.empty')}</p>
      <Link className={buttonClass('main')} to={paths.home.to()}>
        {t('list.emptyWay')}
      </Link>
    </>
  )
}
