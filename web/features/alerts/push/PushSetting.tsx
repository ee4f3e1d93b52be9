import '#web/i18n/alerts.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import styles from '#web/features/alerts/alerts.module.css'
import { pushQuery, supportsPush } from './push.ts'
import { useChangePush } from './use-change-push.ts'

/** The setting that turns notifications in this browser on and off. */
export function PushSetting() {
  const { t } = useTranslation()
  const { data: state, isError, refetch } = useQuery(pushQuery)
  const { change, busy } = useChangePush()
  if (!state) return isError ? <LoadError onRetry={() => void refetch()} /> : <div className={styles.row} />
  return (
    <div className={styles.settings}>
      <label className={styles.row}>
        <input
          type="checkbox"
          checked={state === 'on'}
          disabled={state === 'blocked'}
          onChange={({ target }) => !busy && void change(target.checked)}
        />
        {t('alerts.push')}
      </label>
      {state === 'blocked' && <p className={styles.note}>{t('alerts.blocked')}</p>}
    </div>
  )
}

/** The alert settings of a guest: only notifications. Renders nothing if the browser does not support them. */
export function GuestAlerts({ around }: { around: (setting: ReactNode) => ReactNode }) {
  return supportsPush() ? around(<PushSetting />) : null
}
