import '#web/i18n/mine.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useChangeAlerts } from './use-change-alerts.ts'
import styles from './alerts.module.css'

/** Asks once, after a drama became a favorite, whether its new episodes are to be told. */
export function AlertPrompt({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { change, busy } = useChangeAlerts()
  const accept = async () => {
    if (!(await change(true))) return
    notify(t('alerts.on'))
    onClose()
  }
  return (
    <Sheet title={t('alerts.askTitle')} onClose={onClose}>
      <div className={styles.ask}>
        <p>{t('alerts.askText')}</p>
        <Button wide disabled={busy} onClick={() => void accept()}>
          {t('alerts.askMail')}
        </Button>
        <Button wide look="quiet" onClick={onClose}>
          {t('alerts.later')}
        </Button>
      </div>
    </Sheet>
  )
}
