import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { claimPurchase } from '#contract/billing.ts'
import type { User } from '#contract/members.ts'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/AccountPage.tsx'
import { CodeField } from '#web/features/members/CodeField.tsx'
import { rememberUser } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, CallRejected } from '#web/lib/api.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/use-form.ts'

/** Opened by the link of a guest's receipt: takes what they bought into the account of its address, and signs in. */
export function ClaimPurchase({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [asksForCode, setAsksForCode] = useState(false)
  const [user, setUser] = useState<User | null>(null)
  const form = useForm({
    initial: { totp: '' },
    messagesOf: ({ totp }) => (asksForCode && !totp ? { totp: t('account.codeMissing') } : {}),
    send: async ({ totp }) => {
      try {
        const body = { claim: secret, ...(asksForCode ? { totp: totp.trim() } : {}) }
        const joined = await call(claimPurchase, { body })
        rememberUser(queryClient, joined)
        setUser(joined)
      } catch (error) {
        if (!(error instanceof CallRejected && error.code === 401)) throw error
        setAsksForCode(true)
      }
    },
  })
  if (user) return <Claimed user={user} />
  return (
    <AccountPage title={t('out.claimTitle')} lead={t('out.claimLead')}>
      <AccountForm form={form}>
        {asksForCode && <CodeField field={form.field('totp')} />}
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('out.claim')}
        </Button>
      </AccountForm>
      {form.problem && (
        <AccountLinks>
          <Link to={paths.signIn.to()}>{t('account.toSignIn')}</Link>
          <Link to={paths.contactUs.to()}>{t('out.contact')}</Link>
        </AccountLinks>
      )}
    </AccountPage>
  )
}

function Claimed({ user }: { user: User }) {
  const { t } = useTranslation()
  return (
    <AccountPage title={t('out.claimDone')} lead={t('out.claimDoneText', { email: user.email ?? '' })}>
      <Link className={buttonClass('main', true)} to={paths.my.to()} replace>
        {t('out.toMine')}
      </Link>
      {!user.has_password && (
        <AccountLinks>
          <Link to={paths.individual.to()} replace>
            {t('out.setPassword')}
          </Link>
        </AccountLinks>
      )}
    </AccountPage>
  )
}
