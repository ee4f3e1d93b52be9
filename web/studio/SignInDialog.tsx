import type { KeyboardEvent } from 'react'
import { useModal } from '#web/ui/use-modal.ts'
import { SignIn } from './SignIn.tsx'
import { useTexts } from './texts.ts'
import styles from './studio-shell.module.css'

/** Asks the operator to sign in again after the session has expired. The unsaved page stays open behind the dialog. */
export function SignInDialog({ previousOperatorId }: { previousOperatorId: string }) {
  const { t } = useTexts()
  const dialog = useModal()
  const preventEscape = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
  return (
    <dialog
      ref={dialog}
      className={styles.over}
      aria-label={t('shell.signIn')}
      onKeyDown={preventEscape}
      // The Back gesture of a phone closes the dialog in any case, so it is opened again.
      onClose={() => dialog.current?.showModal()}
    >
      <SignIn previousOperatorId={previousOperatorId} />
    </dialog>
  )
}
