import type { KeyboardEvent } from 'react'
import { useModal } from '#web/ui/use-modal.ts'
import { SignIn } from './SignIn.tsx'
import { useTexts } from './texts.ts'
import styles from './shell.module.css'

/** Signs in again over an unsaved page, which stays hidden until then. */
export function SignInOver({ kept }: { kept: string }) {
  const { t } = useTexts()
  const dialog = useModal()
  const stay = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
  return (
    <dialog
      ref={dialog}
      className={styles.over}
      aria-label={t('shell.signIn')}
      onKeyDown={stay}
      // A phone's way back closes it all the same.
      onClose={() => dialog.current?.showModal()}
    >
      <SignIn kept={kept} />
    </dialog>
  )
}
