import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import styles from '#web/studio/ui/page.module.css'

/**
 * The buttons of a sheet: one that keeps everything as it is, and one that does what the sheet is for. Without `onDo` it
 * submits the form around it.
 */
export function SheetActions({
  action,
  look = 'main',
  stay,
  busy,
  onDo,
  onCancel,
}: {
  /** The button's verb. */
  action: string
  look?: 'main' | 'danger'
  /** What keeps everything as it is, where Enter shall do that; else “Cancel” does. */
  stay?: string | undefined
  busy: boolean
  onDo?: () => void
  onCancel: () => void
}) {
  const { t } = useTexts()
  return (
    <div className={styles.actions}>
      {stay === undefined ? (
        <Button look="quiet" onClick={onCancel}>
          {t('shell.cancel')}
        </Button>
      ) : (
        <Button ref={focusFirst} onClick={onCancel}>
          {stay}
        </Button>
      )}
      <Button look={look} disabled={busy} {...(onDo ? { onClick: onDo } : { type: 'submit' })}>
        {action}
      </Button>
    </div>
  )
}

// React focuses the element without the attribute, which a dialog needs as it opens.
const focusFirst = (button: HTMLButtonElement | null) => button?.setAttribute('autofocus', '')
