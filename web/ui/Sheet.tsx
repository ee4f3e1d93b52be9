import { useEffect, useRef, type ReactNode } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import '#web/i18n/watch.ts'
import { Icon } from './Icon.tsx'
import { Button } from './Button.tsx'
import styles from './sheet.module.css'

/** A native modal dialog: a sheet from the bottom on phones, a box in the middle on wider screens. Mounted means open. */
export function Sheet({
  title,
  onClose,
  tall,
  children,
}: {
  title: string
  onClose: () => void
  tall?: boolean
  children: ReactNode
}) {
  const { t } = useTranslation()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // The browser gives the focus back when a sheet is closed, but not when it just goes, as it does once it is done.
    return () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement)
        opener.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={tall ? `${styles.sheet} ${styles.tall}` : styles.sheet}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <Button look="icon" aria-label={t('close')} onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </Button>
      </div>
      <div className={styles.body}>{children}</div>
    </dialog>
  )
}
