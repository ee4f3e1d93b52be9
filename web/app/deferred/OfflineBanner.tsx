import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import floating from '#web/ui/floating-line.module.css'
import { reservePaywallSpace } from '#web/ui/toast.ts'
import { watchConnection } from './watch-connection.ts'
import styles from './offline-banner.module.css'

/** Shows a line while the site is unreachable. When it is reachable again, refetches all data on screen. */
export function OfflineBanner() {
  const { t } = useTranslation()
  const [isOffline, setIsOffline] = useState(false)
  const queryClient = useQueryClient()
  useEffect(
    () =>
      watchConnection((isReachable) => {
        setIsOffline(!isReachable)
        // The feed is not refetched, because its dramas could change their order while the viewer watches.
        if (isReachable)
          void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'feed' })
      }),
    [queryClient],
  )
  return (
    <div role="status">
      {isOffline && (
        <p ref={reserveSpace} className={`${floating.line} ${styles.line}`}>
          {t('offline.message')}
        </p>
      )}
    </div>
  )
}

const reserveSpace = (line: HTMLElement | null) => (line ? reservePaywallSpace(line, '--banner') : undefined)
