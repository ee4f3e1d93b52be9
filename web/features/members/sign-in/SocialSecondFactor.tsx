import { useQueryClient } from '@tanstack/react-query'
import { confirmSocial } from '#contract/social.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { CodeField } from '#web/features/members/forms/CodeField.tsx'
import { setCurrentUser } from '#web/features/members/queries.ts'
import { useReturnAfterSignIn } from './use-return-after-sign-in.ts'

/**
 * Asks for the second factor after a sign-in through a social provider.
 * @param ticket proves the sign-in at the provider
 */
export function SocialSecondFactor({ ticket }: { ticket: string }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const returnAfterSignIn = useReturnAfterSignIn()
  const form = useForm({
    initial: { totp: '' },
    validate: ({ totp }) => (totp ? {} : { totp: t('account.codeMissing') }),
    send: async ({ totp }) => {
      setCurrentUser(queryClient, await call(confirmSocial, { body: { ticket, totp: totp.trim() } }))
      returnAfterSignIn()
    },
  })
  return (
    <AccountPage title={t('account.signInTitle')} lead={t('social.second_factor')}>
      <AccountForm form={form}>
        <CodeField field={form.field('totp')} />
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('menu.signIn')}
        </Button>
      </AccountForm>
    </AccountPage>
  )
}
