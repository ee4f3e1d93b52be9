import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import styles from '#web/studio/ui/page.module.css'

/**
 * The buttons of a sheet: one that changes nothing, and one for the action. Without `onConfirm`, the button for the
 * action submits the form around it.
 */
export function SheetActions({
  action,
  look = 'main',
  cancelLabel,
  busy,
  onConfirm,
  onCancel,
}: {
  /** The label of the button for the action, a verb. */
  action: string
  look?: 'main' | 'danger'
  /**
   * The label of the button that changes nothing; “Cancel” if omitted. If given, this button has the focus, so that
   * Enter presses it.
   */
  cancelLabel?: string | undefined
  busy: boolean
  onConfirm?: () => void
  onCancel: () => void
}) {
  const { t } = useTexts()
  return (
    <div className={`${styles.actions} ${styles.sheetActions}`}>
      {cancelLabel === undefined ? (
        <Button variant="quiet" onClick={onCancel}>
          {t('shell.cancel')}
        </Button>
      ) : (
        <Button ref={autofocusRef} onClick={onCancel}>
          {cancelLabel}
        </Button>
      )}
      <Button variant={look} disabled={busy} {...(onConfirm ? { onClick: onConfirm } : { type: 'submit' })}>
        {action}
      </Button>
    </div>
  )
}

// Sets the HTML attribute, because a dialog uses it to choose the focus when it opens. React's `autoFocus` does not set
// the attribute, and focuses the element only once.
const autofocusRef = (button: HTMLButtonElement | null) => button?.setAttribute('autofocus', '')
