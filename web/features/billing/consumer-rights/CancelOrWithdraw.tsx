import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { cancelByLink, withdraw } from '#contract/consumer-rights.ts'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { paths, contractLinkPaths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { withdrawalText } from './withdrawal-copy.ts'

/** The page behind the cancellation link of a receipt: its button ends the renewals. */
export function CancelByLink({ secret }: { secret: string }) {
  const { t } = useTranslation()
  return (
    <ConfirmAction
      title={t('emailLink.cancelTitle')}
      lead={t('emailLink.cancelLead')}
      button={t('emailLink.cancel')}
      doneTitle={t('emailLink.cancelDone')}
      newLinkPath={contractLinkPaths.cancel}
      perform={async () => {
        const { plan = '', ends_at } = await call(cancelByLink, { body: { secret } })
        return t('emailLink.cancelDoneText', { plan, date: formatLongDate(ends_at) })
      }}
    />
  )
}

/** The page behind the withdrawal link that the customer has requested by mail. */
export function WithdrawByLink({ secret }: { secret: string }) {
  const { t } = useTranslation()
  return (
    <ConfirmAction
      title={t('emailLink.withdrawTitle')}
      lead={t('emailLink.withdrawLead')}
      button={t('emailLink.withdraw')}
      doneTitle={t('emailLink.withdrawDone')}
      newLinkPath={contractLinkPaths.withdraw}
      perform={async () => withdrawalText(t, await call(withdraw, { body: { secret } }))}
    />
  )
}

const noFields = {}

interface ConfirmActionProps {
  title: string
  lead: string
  button: string
  /** The title after success. */
  doneTitle: string
  /** Path of the page that requests another link. */
  newLinkPath: string
  /** Performs the action and returns its result. */
  perform: () => Promise<ReactNode>
}

function ConfirmAction({ title, lead, button, doneTitle, newLinkPath, perform }: ConfirmActionProps) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [outcome, setOutcome] = useState<ReactNode>(null)
  const form = useForm({
    initial: noFields,
    validate: () => noFields,
    send: async () => {
      setOutcome(await perform())
      // For a signed-in customer, the member area must show the change.
      await queryClient.invalidateQueries()
    },
  })
  if (outcome !== null)
    return (
      <AccountPage title={doneTitle}>
        <p role="status">{outcome}</p>
        <Link className={buttonClass('main', true)} to={paths.my.to()} replace>
          {t('emailLink.toMyAccount')}
        </Link>
      </AccountPage>
    )
  return (
    <AccountPage title={title} lead={lead}>
      <AccountForm form={form}>
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : button}
        </Button>
      </AccountForm>
      {form.formError && (
        <AccountLinks>
          <Link to={newLinkPath} replace>
            {t('emailLink.requestAnother')}
          </Link>
        </AccountLinks>
      )}
    </AccountPage>
  )
}
