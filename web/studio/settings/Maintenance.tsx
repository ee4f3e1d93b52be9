import { useState } from 'react'
import { setMaintenance } from '#contract/studio/settings.ts'
import { Button } from '#web/ui/Button.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import styles from './settings.module.css'

/** Shows whether maintenance mode is on, and turns it on or off. */
export function Maintenance({ on }: { on: boolean }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()(setMaintenance)
  const { run, busy } = useCommand(setMaintenance, null)
  const [isConfirming, setConfirming] = useState(false)
  const close = async () => {
    await run({ on: true })
    setConfirming(false)
  }
  return (
    <div className={on ? styles.closed : styles.open}>
      <p role="status">{t(on ? 'settings.closed' : 'settings.open')}</p>
      {isAllowed && on && (
        <Button disabled={busy} onClick={() => void run({ on: false })}>
          {t('settings.disableMaintenance')}
        </Button>
      )}
      {isAllowed && !on && (
        <Button variant="quiet" disabled={busy} onClick={() => setConfirming(true)}>
          {t('settings.enableMaintenance')}
        </Button>
      )}
      {isConfirming && (
        <ConfirmSheet
          title={t('settings.enableMaintenanceTitle')}
          text={t('settings.enableMaintenanceText')}
          action={t('settings.enableMaintenance')}
          busy={busy}
          onConfirm={() => void close()}
          onClose={() => setConfirming(false)}
        />
      )}
    </div>
  )
}
