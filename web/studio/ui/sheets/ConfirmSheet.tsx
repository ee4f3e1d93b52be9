import { Sheet } from '#web/ui/Sheet.tsx'
import { SheetActions } from './SheetActions.tsx'
import styles from '#web/studio/ui/page.module.css'

/** Asks for confirmation of an action that is hard or impossible to undo. */
export function ConfirmSheet({
  title,
  text,
  action,
  cancelLabel,
  busy,
  onConfirm,
  onClose,
}: {
  title: string
  text: string
  /** The label of the button that confirms, a verb. */
  action: string
  /**
   * The label of the button that changes nothing; “Cancel” if omitted. If given, this button has the focus, so that
   * Enter presses it.
   */
  cancelLabel?: string
  busy: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <Sheet title={title} onClose={onClose}>
      <div className={styles.panel}>
        <p>{text}</p>
        <SheetActions
          action={action}
          look="danger"
          cancelLabel={cancelLabel}
          busy={busy}
          onConfirm={onConfirm}
          onCancel={onClose}
        />
      </div>
    </Sheet>
  )
}
