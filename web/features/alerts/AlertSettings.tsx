import '#web/i18n/alerts.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { supportsPush } from './push/push.ts'
import { PushSetting } from './push/PushSetting.tsx'
import { alertsQuery } from './queries.ts'
import { useChangeAlerts } from './use-change-alerts.ts'
import styles from './alerts.module.css'

/** The settings of alerts about new episodes. */
export function AlertSettings() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(alertsQuery)
  const { change, busy } = useChangeAlerts()
  if (!data) return isError ? <LoadError onRetry={() => void refetch()} /> : <div className={styles.row} />
  return (
    <div className={styles.settings}>
      {supportsPush() && <PushSetting />}
      <label className={styles.row}>
        <input
          type="checkbox"
          checked={data.mail}
          disabled={!data.can_mail}
          onChange={({ target }) => !busy && void change(target.checked)}
        />
        {t('alerts.mail')}
      </label>
      {!data.can_mail && (
        <p className={styles.note}>
          <Link to={paths.individual.to()}>{t('alerts.confirm')}</Link>
        </p>
      )}
    </div>
  )
}
