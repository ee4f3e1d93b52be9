import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import styles from './page.module.css'

/** Asks before something that cannot simply be taken back. */
export function AskFirst({
  title,
  text,
  action,
  busy,
  onDo,
  onClose,
}: {
  title: string
  text: string
  /** The button's verb. */
  action: string
  busy: boolean
  onDo: () => void
  onClose: () => void
}) {
  return (
    <Sheet title={title} onClose={onClose}>
      <div className={styles.panel}>
        <p>{text}</p>
        <div className={styles.actions}>
          <Button look="danger" disabled={busy} onClick={onDo}>
            {action}
          </Button>
        </div>
      </div>
    </Sheet>
  )
}
