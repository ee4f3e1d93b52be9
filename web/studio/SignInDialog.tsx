import type { KeyboardEvent } from 'react'
import { useModal } from '#web/ui/use-modal.ts'
import { SignIn } from './SignIn.tsx'
import { useTexts } from './texts.ts'
import styles from './studio-shell.module.css'

/** Signs in again over an unsaved page, which stays hidden until then. */
export function SignInDialog({ kept: previousOperatorId }: { kept: string }) {
  const { t } = useTexts()
  const dialog = useModal()
  const preventEscape = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
  return (
    <dialog
      ref={dialog}
      className={styles.over}
      aria-label={t('shell.signIn')}
      onKeyDown={preventEscape}
      // The Back gesture of a phone closes the dialog regardless, so it is opened again.
      onClose={() => dialog.current?.showModal()}
    >
      <SignIn kept={previousOperatorId} />
    </dialog>
  )
}
