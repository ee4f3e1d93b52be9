import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useTexts } from '#web/studio/texts.ts'
import floating from '#web/ui/floating-line.module.css'
import styles from './page.module.css'

const onChange = (onStoreChange: () => void) => onlineManager.subscribe(onStoreChange)
const isOnline = () => onlineManager.isOnline()

/** Shows a line while there is no connection. The queries of the page wait until the connection is back. */
export function OfflineBanner() {
  const { t } = useTexts()
  const online = useSyncExternalStore(onChange, isOnline, isOnline)
  return (
    <div role="status">
      {!online && <p className={`${floating.line} ${styles.offline}`}>{t('shell.offline')}</p>}
    </div>
  )
}
