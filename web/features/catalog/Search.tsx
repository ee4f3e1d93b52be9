import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { tagsQuery } from './list-queries.ts'
import { homepageQuery } from './queries.ts'
import { addSearch, clearSearches, readSearches, removeSearch } from './search-history.ts'
import { SearchBox } from './SearchBox.tsx'
import { useSearch } from './use-search.ts'
import styles from './search.module.css'

/** The search page: search field, recent searches and popular tags. */
export function Search() {
  const { t } = useTranslation()
  const [searches, setSearches] = useState(readSearches)
  const [menu, tags] = [useQuery(homepageQuery), useQuery(tagsQuery)]
  // The two lists appear together. Otherwise the list that loads last could move the other list.
  const areLoaded = !menu.isLoading && !tags.isLoading
  const search = useSearch()
  return (
    <section className={styles.page}>
      <title>{t('search.title')}</title>
      <h1 className="hidden-text">{t('search.title')}</h1>
      <SearchBox onSearch={search} autoFocus />
      {searches.length > 0 && (
        <section aria-label={t('search.history')}>
          <div className={styles.head}>
            <h2>{t('search.history')}</h2>
            <Button variant="quiet" onClick={() => setSearches(clearSearches())}>
              {t('search.clear')}
            </Button>
          </div>
          <ul className={styles.chips}>
            {searches.map((searchTerm) => (
              <li key={searchTerm} className={styles.chip}>
                <Link
                  to={paths.searchDetail.to(searchTerm)}
                  onClick={() => setSearches(addSearch(searchTerm))}
                >
                  {searchTerm}
                </Link>
                <button
                  type="button"
                  aria-label={t('search.removeSearch', { searchTerm })}
                  onClick={() => setSearches(removeSearch(searchTerm))}
                >
                  <Icon name="close" size={16} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {areLoaded ? (
        <>
          <Categories />
          <TrendingTags />
        </>
      ) : (
        <div className={styles.trending} />
      )}
    </section>
  )
}

function TrendingTags() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(tagsQuery)
  if (isError && !data) return <LoadError onRetry={() => void refetch()} />
  return (
    <section aria-label={t('search.trending')} className={styles.trending}>
      <div className={styles.head}>
        <h2>{t('search.trending')}</h2>
      </div>
      <ul className={styles.chips}>
        {data?.list.map(({ id, name, trending }) => (
          <li key={id} className={styles.chip} data-trending={trending}>
            <Link to={paths.searchDetail.to(id)}>{name}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Categories() {
  const { t } = useTranslation()
  const menu = useQuery(homepageQuery).data?.menu ?? []
  if (menu.length === 0) return null
  return (
    <section aria-label={t('site.categories')}>
      <div className={styles.head}>
        <h2>{t('site.categories')}</h2>
      </div>
      <ul className={styles.chips}>
        {menu.map(({ id, name }) => (
          <li key={id} className={styles.chip}>
            <Link to={paths.browse.to(id)}>{name}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
