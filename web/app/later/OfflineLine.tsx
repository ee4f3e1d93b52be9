import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import floating from '#web/ui/floating-line.module.css'
import { watchConnection } from './watch-connection.ts'
import styles from './offline-line.module.css'

/** Shows a line while the site is unreachable, and refetches everything on screen afterwards. */
export function OfflineLine() {
  const { t } = useTranslation()
  const [away, setAway] = useState(false)
  const queryClient = useQueryClient()
  useEffect(
    () =>
      watchConnection((reached) => {
        setAway(!reached)
        // The feed is not refetched: its dramas would be reordered while the viewer watches.
        if (reached)
          void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'feed' })
      }),
    [queryClient],
  )
  return (
    <div role="status">
      {away && <p className={`${floating.line} ${styles.line}`}>{t('offline.line')}</p>}
    </div>
  )
}
