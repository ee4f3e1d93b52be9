import { useState } from 'react'
import { setMaintenance } from '#contract/studio/settings.ts'
import { Button } from '#web/ui/Button.tsx'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { AskFirst } from '#web/studio/ui/sheets/AskFirst.tsx'
import styles from './settings.module.css'

/** Shows and switches the maintenance mode. */
export function Maintenance({ on }: { on: boolean }) {
  const { t } = useTexts()
  const may = useMay()(setMaintenance)
  const { run, busy } = useCommand(setMaintenance, null)
  const [asks, setAsks] = useState(false)
  const close = async () => {
    await run({ on: true })
    setAsks(false)
  }
  return (
    <div className={on ? styles.closed : styles.open}>
      <p role="status">{t(on ? 'settings.closed' : 'settings.open')}</p>
      {may && on && (
        <Button disabled={busy} onClick={() => void run({ on: false })}>
          {t('settings.letIn')}
        </Button>
      )}
      {may && !on && (
        <Button look="quiet" disabled={busy} onClick={() => setAsks(true)}>
          {t('settings.close')}
        </Button>
      )}
      {asks && (
        <AskFirst
          title={t('settings.closeTitle')}
          text={t('settings.closeText')}
          action={t('settings.close')}
          busy={busy}
          onDo={() => void close()}
          onClose={() => setAsks(false)}
        />
      )}
    </div>
  )
}
