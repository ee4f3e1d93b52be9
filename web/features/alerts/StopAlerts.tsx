import '#web/i18n/alerts.ts'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { stopAlerts } from '#contract/alerts.ts'
import { AccountForm, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { deleteStoredFragment } from '#web/features/members/sign-in/social-return.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'

/** The page behind the unsubscribe link of an alert. Its button turns alerts off without a sign-in. */
export function StopAlerts({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const [done, setDone] = useState(false)
  useEffect(deleteStoredFragment, [])
  const form = useForm({
    initial: {},
    validate: () => ({}),
    send: async () => {
      await call(stopAlerts, { body: { secret } })
      setDone(true)
    },
  })
  if (done)
    return (
      <AccountPage title={t('alerts.stopped')} lead={t('alerts.stoppedText')}>
        <Link className={buttonClass('main', true)} to={paths.home.to()} replace>
          {t('list.browseDramas')}
        </Link>
      </AccountPage>
    )
  return (
    <AccountPage title={t('alerts.stopTitle')} lead={t('alerts.stopText')}>
      <AccountForm form={form}>
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('alerts.stop')}
        </Button>
      </AccountForm>
    </AccountPage>
  )
}
