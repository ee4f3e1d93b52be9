import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { claimPurchase } from '#contract/consumer-rights.ts'
import type { User } from '#contract/members.ts'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { setCurrentUser } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'

/**
 * The page behind the link in a guest's receipt. Moves the purchase into the account with the receipt's address, and
 * signs the user in. If the owner of that account has verified the address, the user must sign in first and then
 * returns here.
 */
export function ClaimPurchase({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [needsSignIn, setNeedsSignIn] = useState(false)
  const [user, setUser] = useState<User | null>(null)
  const form = useForm({
    initial: {},
    validate: () => ({}),
    send: async () => {
      try {
        const claimedUser = await call(claimPurchase, { body: { secret } })
        setCurrentUser(queryClient, claimedUser)
        setUser(claimedUser)
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 401)) throw error
        setNeedsSignIn(true)
      }
    },
  })
  if (user) return <Claimed user={user} />
  if (needsSignIn) return <SignInRequired from={`${paths.my.to()}#claim=${secret}`} />
  return (
    <AccountPage title={t('emailLink.claimTitle')} lead={t('emailLink.claimLead')}>
      <AccountForm form={form}>
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('emailLink.claim')}
        </Button>
      </AccountForm>
      {form.formError && (
        <AccountLinks>
          <Link to={paths.signIn.to()}>{t('account.toSignIn')}</Link>
          <Link to={paths.contactUs.to()}>{t('emailLink.contact')}</Link>
        </AccountLinks>
      )}
    </AccountPage>
  )
}

/**
 * Asks for a sign-in: once the account's owner has verified the address, a forwarded receipt must not open the account.
 */
function SignInRequired({ from }: { from: string }) {
  const { t } = useTranslation()
  return (
    <AccountPage title={t('emailLink.claimTitle')} lead={t('emailLink.claimSignIn')}>
      <Link className={buttonClass('main', true)} to={paths.signIn.to()} state={{ from }}>
        {t('account.toSignIn')}
      </Link>
    </AccountPage>
  )
}

function Claimed({ user }: { user: User }) {
  const { t } = useTranslation()
  return (
    <AccountPage
      title={t('emailLink.claimDone')}
      lead={t('emailLink.claimDoneText', { email: user.email ?? '' })}
    >
      <Link className={buttonClass('main', true)} to={paths.my.to()} replace>
        {t('emailLink.toMyAccount')}
      </Link>
      {!user.has_password && (
        <AccountLinks>
          <Link to={paths.individual.to()} replace>
            {t('emailLink.setPassword')}
          </Link>
        </AccountLinks>
      )}
    </AccountPage>
  )
}
