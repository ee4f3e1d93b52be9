import type { KeyboardEvent, ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import '#web/i18n/watch.ts'
import { Icon } from './Icon.tsx'
import { Button } from './Button.tsx'
import { useModal } from './use-modal.ts'
import styles from './sheet.module.css'

/** A native modal dialog: a bottom sheet on phones, a centered box on wider screens. It is open while it is mounted. */
export function Sheet({
  title,
  onClose,
  mayClose,
  tall,
  children,
}: {
  title: string
  onClose: () => void
  /** Returns whether the user may close the sheet. If it returns false, it must show the reason. */
  mayClose?: () => boolean
  tall?: boolean
  children: ReactNode
}) {
  const { t } = useTranslation()
  const dialog = useModal()
  const close = () => (!mayClose || mayClose()) && dialog.current?.close()
  // Escape is handled here, not in the `cancel` event. Chrome lets a page prevent only one `cancel` event, and may
  // close two dialogs at one press of Escape.
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return
    event.preventDefault()
    close()
  }
  return (
    <dialog
      ref={dialog}
      className={tall ? `${styles.sheet} ${styles.tall}` : styles.sheet}
      aria-label={title}
      onKeyDown={mayClose && escape}
      // The Back gesture of a phone also closes the dialog and cannot always be prevented, so the dialog is opened
      // again.
      onClose={() => (!mayClose || mayClose() ? onClose() : dialog.current?.showModal())}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <Button variant="icon" aria-label={t('close')} onClick={close}>
          <Icon name="close" />
        </Button>
      </div>
      <div className={styles.body}>{children}</div>
    </dialog>
  )
}
