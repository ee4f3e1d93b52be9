import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import styles from '#web/studio/ui/page.module.css'

/** The buttons of a sheet: one that changes nothing, and one for the action. Without `onConfirm` it submits the form around it. */
export function SheetActions({
  action,
  look = 'main',
  cancelLabel,
  busy,
  onConfirm,
  onCancel,
}: {
  /** The label of the button, a verb. */
  action: string
  look?: 'main' | 'danger'
  /** The label of the button that changes nothing, if Enter should choose it; “Cancel” otherwise. */
  cancelLabel?: string | undefined
  busy: boolean
  onConfirm?: () => void
  onCancel: () => void
}) {
  const { t } = useTexts()
  return (
    <div className={styles.actions}>
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

// Sets the attribute itself, which a dialog needs when it opens; React only focuses the element.
const autofocusRef = (button: HTMLButtonElement | null) => button?.setAttribute('autofocus', '')
