import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import floating from '#web/ui/floating-line.module.css'
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

/** Moves a paywall below the line while it is shown (pay-panel.module.css). */
function reserveSpace(line: HTMLElement | null): (() => void) | undefined {
  if (!line) return undefined
  const { style } = document.body
  const observer = new ResizeObserver(() => style.setProperty('--banner', `${line.offsetHeight + 16}px`))
  observer.observe(line)
  return () => {
    observer.disconnect()
    style.removeProperty('--banner')
  }
}
