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
    dialog.current?.showModal()
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
