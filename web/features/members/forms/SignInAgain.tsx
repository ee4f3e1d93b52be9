import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from 'react-router'
import type { User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { requiredCredentials } from './reauthentication.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { useSignOut } from './use-sign-out.ts'
import styles from './settings.module.css'

/**
 * Tells members who have neither a password nor an authenticator app that the action needs a recent sign-in. Renders
 * nothing for other users.
 */
export function FreshSignInRequired({ user }: { user: User }) {
  const { t } = useTranslation()
  const required = requiredCredentials(user)
  if (user.role !== 'member' || required.current_password || required.totp) return null
  return (
    <>
      <p className={styles.text}>{t('account.signInAgainFirst')}</p>
      <SignInAgain />
    </>
  )
}

/** A button that signs out and opens the sign-in, which returns to the current page. Renders nothing for guests. */
export function SignInAgain() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const { signOut, busy } = useSignOut()
  const { data: user } = useQuery(userQuery)
  if (user?.role !== 'member') return null
  const signInAgain = async () => {
    await signOut()
    await navigate(paths.signIn.to(), { state: { from: pathname + search } })
  }
  return (
    <Button variant="quiet" disabled={busy} onClick={() => void signInAgain()}>
      {t('account.signInAgain')}
    </Button>
  )
}
