import { Sheet } from '#web/ui/Sheet.tsx'
import { SheetActions } from './SheetActions.tsx'
import styles from '#web/studio/ui/page.module.css'

/** Asks for confirmation before an action that cannot easily be undone. */
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
  /** The label of the confirming button, a verb. */
  action: string
  /** The label of the button that changes nothing, if Enter should choose it; “Cancel” otherwise. */
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
