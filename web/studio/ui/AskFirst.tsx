import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useTexts } from '#web/studio/texts.ts'
import styles from './page.module.css'

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
  const { t } = useTexts()
  return (
    <Sheet title={title} onClose={onClose}>
      <div className={styles.panel}>
        <p>{text}</p>
        <div className={styles.actions}>
          {stay === undefined ? (
            <Button look="quiet" onClick={onClose}>
              {t('desk.cancel')}
            </Button>
          ) : (
            <Button ref={focusFirst} onClick={onClose}>
              {stay}
            </Button>
          )}
          <Button look="danger" disabled={busy} onClick={onDo}>
            {action}
          </Button>
        </div>
      </div>
    </Sheet>
  )
}

// React focuses the element without the attribute, which a dialog needs as it opens.
const focusFirst = (button: HTMLButtonElement | null) => button?.setAttribute('autofocus', '')
