import type { User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { AccountForm } from './AccountPage.tsx'
import { CodeField } from './CodeField.tsx'
import { CurrentPassword } from './CurrentPassword.tsx'
import { proofAsked, proofBody, type Proof } from './proof.ts'
import { SignInFirst } from './SignInAgain.tsx'
import styles from './settings.module.css'

interface ProofFormProps {
  user: User
  text: string
  action: string
  send: (proof: Partial<Proof>) => Promise<void>
}

/** Explains what will happen, and asks the member to confirm that the account is theirs. */
export function ProofForm({ user, text, action, send }: ProofFormProps) {
  const { t } = useTranslation()
  const asked = proofAsked(user)
  const form = useForm({
    initial: { current_password: '', totp: '' },
    messagesOf: ({ current_password }) =>
      asked.current_password && !current_password ? { current_password: t('account.passwordMissing') } : {},
    send: (proof) => send(proofBody(user, proof)),
  })
  return (
    <AccountForm form={form}>
      <p className={styles.text}>{text}</p>
      {asked.current_password && <CurrentPassword field={form.field('current_password')} />}
      {asked.totp && <CodeField field={form.field('totp')} autoFocus={false} />}
      {!form.signInFirst && <SignInFirst user={user} />}
      <Button type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : action}
      </Button>
    </AccountForm>
  )
}
