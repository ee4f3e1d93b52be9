import type { ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { ApiError } from '#web/lib/api.ts'
import { Button } from './Button.tsx'
import { LoadError } from './LoadError.tsx'
import styles from './list-footer.module.css'

/** The part of an infinite query that the footer needs. */
export interface PaginatedQuery {
  data: { pages: { list: readonly unknown[] }[] } | undefined
  isError: boolean
  error?: Error | null
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  refetch: () => unknown
}

interface ListFooterProps {
  pages: PaginatedQuery
  empty: ReactNode
  /** A sign-in link, shown if the session has expired. */
  signIn?: ReactNode
}

const sessionExpiredCode = 401

/**
 * The footer of a paginated list. It shows a button for more, the loading state or a load error. A list with several
 * pages has a note at its end. If `empty` is null, a list of one page has no footer.
 */
export function ListFooter(props: ListFooterProps) {
  const { pages, empty } = props
  if (empty === null && !pages.isError && !pages.hasNextPage && pages.data?.pages.length === 1) return null
  return (
    <div className={styles.foot}>
      <ListState {...props} />
    </div>
  )
}

function ListState({ pages, empty, signIn }: ListFooterProps) {
  const { t } = useTranslation()
  const { data, isError, error, hasNextPage, isFetchingNextPage } = pages
  if (isError) {
    const retry = () => void (data ? pages.fetchNextPage() : pages.refetch())
    const isSessionExpired = signIn && error instanceof ApiError && error.code === sessionExpiredCode
    return (
      <LoadError {...(isSessionExpired && { text: error.message })} onRetry={retry}>
        {isSessionExpired && signIn}
      </LoadError>
    )
  }
  if (!data) return null
  if (hasNextPage)
    return (
      <Button variant="quiet" onClick={() => void pages.fetchNextPage()} disabled={isFetchingNextPage}>
        {isFetchingNextPage ? t('list.loading') : t('list.more')}
      </Button>
    )
  if (data.pages.every(({ list }) => list.length === 0)) return empty
  return data.pages.length > 1 ? <p>{t('list.end')}</p> : null
}
