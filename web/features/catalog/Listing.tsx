import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sorts } from '#contract/catalog.ts'
import { ApiError } from '#web/lib/api.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link, useSearchParams } from 'react-router'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { Card, CardSkeleton } from './Card.tsx'
import { listingQuery } from './list-queries.ts'
import { SearchBox } from './SearchBox.tsx'
import { EmptyList } from './SuggestedDramas.tsx'
import { useSearch } from './use-search.ts'
import styles from './listing.module.css'
import section from './section.module.css'

const skeletonCards = Array.from({ length: 21 }, (_, i) => <CardSkeleton key={i} />)

type Sort = (typeof sorts)[number]

interface ListingProps {
  listing: Parameters<typeof listingQuery>[0]
  title?: string
  /** Shown if the list does not exist. */
  notFound: ReactNode
}

/** One list of videos, with its states: loading, more to load, end of the list, and load error. */
export function Listing({ listing, title, notFound }: ListingProps) {
  const { t } = useTranslation()
  const [sort, setSort] = useSort()
  const search = useSearch()
  const pages = useInfiniteQuery(listingQuery({ ...listing, sort }))
  if (pages.error instanceof ApiError && pages.error.code === 404) return notFound
  const videos = pages.data?.pages.flatMap(({ list }) => list) ?? []
  const sortOptions = pages.data?.pages[0]?.sorts ?? []
  const heading = title ?? pages.data?.pages[0]?.title ?? ''
  return (
    <section className={styles.listing}>
      {heading && <title>{heading}</title>}
      <div className={styles.search}>
        <SearchBox onSearch={search} searchTerm={listing.keyword} />
      </div>
      <div className={listing.section === undefined ? styles.head : `${styles.head} ${styles.watchable}`}>
        <h1 className={styles.title}>{heading}</h1>
        <div className={styles.tools}>
          {listing.section !== undefined && (
            <Link className={buttonClass('quiet')} to={paths.more.feed(listing.section)}>
              <Icon name="play" size={18} /> {t('feed.watch')}
            </Link>
          )}
          {videos.length > 1 && sortOptions.length > 0 && (
            <SortChooser options={sortOptions} sort={sort} onSort={setSort} />
          )}
        </div>
      </div>
      {pages.isPending && (
        <div role="status" aria-label={t('list.loading')} className={section.grid}>
          {skeletonCards}
        </div>
      )}
      <ul className={section.grid} hidden={videos.length === 0}>
        {videos.map((video) => (
          <li key={video.id}>
            <Card video={video} />
          </li>
        ))}
      </ul>
      <ListFooter
        pages={pages}
        empty={<EmptyList text={listing.keyword ? t('list.noResults') : t('list.empty')} />}
      />
    </section>
  )
}

/**
 * Returns the sort order from the URL, and a function that sets it. The default order is undefined and not in the URL.
 */
function useSort() {
  const [parameters, setParameters] = useSearchParams()
  const sort = sorts.find((one) => one === parameters.get('sort'))
  const setSort = (wanted: Sort | undefined) =>
    setParameters(wanted ? { sort: wanted } : {}, { replace: true, preventScrollReset: true })
  return [sort, setSort] as const
}

interface SortChooserProps {
  options: readonly Sort[]
  sort: Sort | undefined
  onSort: (wanted: Sort | undefined) => void
}

function SortChooser({ options, sort, onSort }: SortChooserProps) {
  const { t } = useTranslation()
  return (
    <label className={styles.sort}>
      <select
        aria-label={t('list.sortBy')}
        value={sort ?? options[0]}
        onChange={({ target }) => onSort(options.slice(1).find((one) => one === target.value))}
      >
        {options.map((one) => (
          <option key={one} value={one}>
            {t(`list.${one}`)}
          </option>
        ))}
      </select>
      <Icon name="forward" size={14} />
    </label>
  )
}
