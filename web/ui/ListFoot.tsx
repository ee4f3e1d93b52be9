import type { ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from './Button.tsx'
import { CouldNotLoad } from './CouldNotLoad.tsx'
import styles from './list-foot.module.css'

/** What a list of pages says of itself, as its query tells it. */
export interface Pages {
  data: { pages: { list: readonly unknown[] }[] } | undefined
  isError: boolean
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  refetch: () => unknown
}

/** The foot of a list that loads page by page: load more, loading, no more content, or could not load. */
export function ListFoot({ pages, empty }: { pages: Pages; empty: ReactNode }) {
  return (
    <div className={styles.foot}>
      <State pages={pages} empty={empty} />
    </div>
  )
}

function State({ pages, empty }: { pages: Pages; empty: ReactNode }) {
  const { t } = useTranslation()
  const { data, isError, hasNextPage, isFetchingNextPage } = pages
  if (isError) return <CouldNotLoad onRetry={() => void (data ? pages.fetchNextPage() : pages.refetch())} />
  if (!data) return null
  if (hasNextPage)
    return (
      <Button look="quiet" onClick={() => void pages.fetchNextPage()} disabled={isFetchingNextPage}>
        {isFetchingNextPage ? t('list.loading') : t('list.more')}
      </Button>
    )
  return data.pages.some(({ list }) => list.length > 0) ? <p>{t('list.end')}</p> : empty
}
