import { useNavigate } from 'react-router'
import type { User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { proofAsked } from './proof.ts'
import { useSignOut } from './use-sign-out.ts'
import styles from './settings.module.css'

/** The way on for a member who has nothing to prove with but a fresh sign-in. Nothing for anybody else. */
export function SignInAgain({ user }: { user: User }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { signOut, busy } = useSignOut()
  const asked = proofAsked(user)
  if (user.role !== 'member' || asked.current_password || asked.totp) return null
  const signInAgain = async () => {
    await signOut()
    await navigate(paths.signIn.to(), { state: { from: paths.individual.to() } })
  }
  return (
    <>
      <p className={styles.text}>{t('account.signInAgainFirst')}</p>
      <Button look="quiet" disabled={busy} onClick={() => void signInAgain()}>
        {t('account.signInAgain')}
      </Button>
    </>
  )
}
