import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { verifyEmail } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { userQuery } from '#web/features/members/queries.ts'

const noFields = {}

/**
 * The page behind the link in a verification mail. Only its button verifies the address, because mail scanners open
 * links too.
 */
export function VerifyEmail({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const form = useForm({
    initial: noFields,
    validate: () => noFields,
    send: async () => {
      const verified = await call(verifyEmail, { body: { secret } })
      setEmail(verified.email)
      await queryClient.invalidateQueries({ queryKey: userQuery.queryKey })
    },
  })
  if (email)
    return (
      <AccountPage title={t('mail.doneTitle')} lead={t('mail.doneText', { email })}>
        <Link className={buttonClass('main', true)} to={paths.individual.to()} replace>
          {t('mail.toSettings')}
        </Link>
      </AccountPage>
    )
  return (
    <AccountPage title={t('mail.verifyTitle')} lead={t('mail.verifyLead')}>
      <AccountForm form={form}>
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('mail.verify')}
        </Button>
      </AccountForm>
      <AccountLinks>
        <Link to={paths.individual.to()} replace>
          {t('mail.toSettings')}
        </Link>
      </AccountLinks>
    </AccountPage>
  )
}
