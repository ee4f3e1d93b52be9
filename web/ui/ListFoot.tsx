import type { ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { CallRejected } from '#web/lib/api.ts'
import { Button } from './Button.tsx'
import { CouldNotLoad } from './CouldNotLoad.tsx'
import styles from './list-foot.module.css'

/** The state of a paginated list, from its query. */
export interface Pages {
  data: { pages: { list: readonly unknown[] }[] } | undefined
  isError: boolean
  error?: Error | null
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  refetch: () => unknown
}

interface ListFootProps {
  pages: Pages
  empty: ReactNode
  /** A sign-in link if the session has expired. */
  signIn?: ReactNode
}

const signInFirst = 401

/** The foot of a paginated list: load more, loading, could not load, or the end of a list of several pages. */
export function ListFoot(props: ListFootProps) {
  return (
    <div className={styles.foot}>
      <State {...props} />
    </div>
  )
}

function State({ pages, empty, signIn }: ListFootProps) {
  const { t } = useTranslation()
  const { data, isError, error, hasNextPage, isFetchingNextPage } = pages
  if (isError) {
    const retry = () => void (data ? pages.fetchNextPage() : pages.refetch())
    const ended = signIn && error instanceof CallRejected && error.code === signInFirst
    return (
      <CouldNotLoad {...(ended && { text: error.message })} onRetry={retry}>
        {ended && signIn}
      </CouldNotLoad>
    )
  }
  if (!data) return null
  if (hasNextPage)
    return (
      <Button look="quiet" onClick={() => void pages.fetchNextPage()} disabled={isFetchingNextPage}>
        {isFetchingNextPage ? t('list.loading') : t('list.more')}
      </Button>
    )
  if (data.pages.every(({ list }) => list.length === 0)) return empty
  return data.pages.length > 1 ? <p>{t('list.end')}</p> : null
}
