import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { deleteUser, type User } from '#contract/members.ts'
import type { RemainingBalance as RemainingAmount } from '#contract/top-ups.ts'
import { clearSearches } from '#web/features/catalog/search-history.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { withTexts } from '#web/i18n/with-texts.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm } from '#web/features/members/forms/AccountPage.tsx'
import { CodeField } from '#web/features/members/forms/CodeField.tsx'
import { CurrentPassword } from '#web/features/members/forms/CurrentPassword.tsx'
import { requiredCredentials, credentialsBody } from '#web/features/members/forms/reauthentication.ts'
import { setCurrentUser } from '#web/features/members/queries.ts'
import { FreshSignInRequired } from '#web/features/members/forms/SignInAgain.tsx'
import { Checkbox } from '#web/features/members/forms/Checkbox.tsx'
import { remainingBalancesFromError } from './remaining-balances.ts'
import styles from '#web/features/members/forms/settings.module.css'

// Loaded on demand, because few users have a remaining balance.
const RemainingBalance = lazy(async () => {
  const { RemainingBalance: left } = await withTexts(
    'balance',
    import('#web/features/billing/balance/RemainingBalance.tsx'),
  )
  return { default: left }
})

/**
 * Explains what is deleted and what is retained, and reauthenticates the user. Deletes the account only if the user has
 * ticked the confirmation.
 */
export function DeleteForm({ user, onDeleted }: { user: User; onDeleted: () => void }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const required = requiredCredentials(user)
  const [remainingBalances, setRemainingBalances] = useState<RemainingAmount[]>([])
  const form = useForm({
    initial: { current_password: '', totp: '', sure: '', forfeit: '' },
    validate: ({ current_password, sure, forfeit }) => ({
      ...(required.current_password && !current_password
        ? { current_password: t('account.passwordMissing') }
        : {}),
      ...(sure ? {} : { sure: t('data.confirmationMissing') }),
      ...(remainingBalances.length === 0 || forfeit ? {} : { forfeit: t('balance.forfeitMissing') }),
    }),
    send: async ({ current_password, totp, forfeit }) => {
      const credentials = credentialsBody(user, { current_password, totp })
      const body =
        remainingBalances.length > 0 && forfeit ? { ...credentials, forfeit_balance: true } : credentials
      const guest = await call(deleteUser, { body }).catch((error: unknown) => {
        setRemainingBalances(remainingBalancesFromError(error))
        throw error
      })
      clearSearches()
      onDeleted()
      setCurrentUser(queryClient, guest)
    },
  })
  return (
    <AccountForm form={form}>
      <ul className={styles.list}>
        <li>{t('data.deletedData')}</li>
        <li>{t('data.subscriptionEnds')}</li>
        <li>{t('data.retainedRecords')}</li>
      </ul>
      {required.current_password && <CurrentPassword field={form.field('current_password')} />}
      {required.totp && <CodeField field={form.field('totp')} autoFocus={false} />}
      {!form.sessionExpired && <FreshSignInRequired user={user} />}
      <Checkbox {...form.field('sure')} label={t('data.confirmation')} />
      {remainingBalances.length > 0 && (
        <Suspense>
          <RemainingBalance
            balances={remainingBalances}
            renderForfeitButton={(label) => <Checkbox {...form.field('forfeit')} label={label} />}
            onRefunded={() => setRemainingBalances([])}
          />
        </Suspense>
      )}
      <Button variant="danger" type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : t('data.deleteNow')}
      </Button>
    </AccountForm>
  )
}
