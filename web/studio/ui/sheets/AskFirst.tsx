import { Sheet } from '#web/ui/Sheet.tsx'
import { SheetActions } from './SheetActions.tsx'
import styles from '#web/studio/ui/page.module.css'

/** Asks before something that cannot simply be taken back. */
export function AskFirst({
  title,
  text,
  action,
  stay,
  busy,
  onDo,
  onClose,
}: {
  title: string
  text: string
  /** The button's verb. */
  action: string
  /** What keeps everything as it is, where Enter shall do that; else “Cancel” does. */
  stay?: string
  busy: boolean
  onDo: () => void
  onClose: () => void
}) {
  return (
    <Sheet title={title} onClose={onClose}>
      <div className={styles.panel}>
        <p>{text}</p>
        <SheetActions action={action} look="danger" stay={stay} busy={busy} onDo={onDo} onCancel={onClose} />
      </div>
    </Sheet>
  )
}
