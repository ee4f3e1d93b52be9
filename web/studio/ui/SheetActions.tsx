import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import styles from './page.module.css'

/** The buttons of a sheet: `Cancel`, and the one that does what the sheet is for. Without `onDo` it submits the form around it. */
export function SheetActions({
  action,
  look = 'main',
  busy,
  onDo,
  onCancel,
}: {
  /** The button's verb. */
  action: string
  look?: 'main' | 'danger'
  busy: boolean
  onDo?: () => void
  onCancel: () => void
}) {
  const { t } = useTexts()
  return (
    <div className={styles.actions}>
      <Button look="quiet" onClick={onCancel}>
        {t('desk.cancel')}
      </Button>
      <Button look={look} disabled={busy} {...(onDo ? { onClick: onDo } : { type: 'submit' })}>
        {action}
      </Button>
    </div>
  )
}
