import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useTexts } from '#web/studio/texts.ts'
import floating from '#web/ui/floating-line.module.css'
import styles from './page.module.css'

const onChange = (tell: () => void) => onlineManager.subscribe(tell)
const isOnline = () => onlineManager.isOnline()

/** Says that there is no connection for as long as there is none: what a page asked for waits until then. */
export function OfflineLine() {
  const { t } = useTexts()
  const online = useSyncExternalStore(onChange, isOnline, isOnline)
  return (
    <div role="status">
      {!online && <p className={`${floating.line} ${styles.offline}`}>{t('desk.offline')}</p>}
    </div>
  )
}
