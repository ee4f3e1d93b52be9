import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import floating from '#web/ui/floating-line.module.css'
import { watchConnection } from './watch-connection.ts'
import styles from './offline-line.module.css'

/** Says that the site is out of reach for as long as it is, and then asks again for everything shown. */
export function OfflineLine() {
  const { t } = useTranslation()
  const [away, setAway] = useState(false)
  const queryClient = useQueryClient()
  useEffect(
    () =>
      watchConnection((reached) => {
        setAway(!reached)
        if (reached) void queryClient.invalidateQueries()
      }),
    [queryClient],
  )
  return (
    <div role="status">
      {away && <p className={`${floating.line} ${styles.line}`}>{t('offline.line')}</p>}
    </div>
  )
}
