import '#web/i18n/alerts.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useChangePush } from './push/use-change-push.ts'
import { useChangeAlerts } from './use-change-alerts.ts'
import styles from './alerts.module.css'

/** The available alert channels; at least one is true. */
export interface AlertChannels {
  push: boolean
  mail: boolean
}

/**
 * Offers alerts after the viewer has added a favorite, with a choice of channel. The browser's permission prompt
 * appears only after a press.
 */
export function AlertPrompt({ channels, onClose }: { channels: AlertChannels; onClose: () => void }) {
  const { t } = useTranslation()
  const mail = useChangeAlerts()
  const push = useChangePush(onClose)
  const enableMail = async () => {
    if (!(await mail.change(true))) return
    notify(t('alerts.turnedOn'))
    onClose()
  }
  const busy = mail.busy || push.busy
  return (
    <Sheet title={t('alerts.promptTitle')} onClose={onClose}>
      <div className={styles.ask}>
        <p>{t('alerts.promptText')}</p>
        {channels.push && (
          <Button wide disabled={busy} onClick={() => void push.change(true)}>
            {t('alerts.promptPush')}
          </Button>
        )}
        {channels.mail && (
          <Button
            wide
            variant={channels.push ? 'quiet' : 'main'}
            disabled={busy}
            onClick={() => void enableMail()}
          >
            {t('alerts.promptMail')}
          </Button>
        )}
        <Button wide variant="quiet" onClick={onClose}>
          {t('alerts.notNow')}
        </Button>
      </div>
    </Sheet>
  )
}
