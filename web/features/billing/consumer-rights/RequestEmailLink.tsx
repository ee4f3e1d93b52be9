import { useState } from 'react'
import { Link } from 'react-router'
import { cancelByLink, withdraw } from '#contract/consumer-rights.ts'
import { EmailField } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { isEmail } from '#web/lib/validation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'

/**
 * Requests a mail with the link for a cancellation or a withdrawal. Only the mail reveals whether the address has
 * purchases.
 */
export function RequestEmailLink({ purpose }: { purpose: 'cancel' | 'withdraw' }) {
  const { t } = useTranslation()
  const [sentTo, setSentTo] = useState('')
  const form = useForm({
    initial: { email: '', order_id: '' },
    validate: ({ email }) => (isEmail(email) ? {} : { email: t('account.emailInvalid') }),
    send: async ({ email, order_id }) => {
      const body = { email, ...(order_id.trim() ? { order_id } : {}) }
      await call(purpose === 'cancel' ? cancelByLink : withdraw, { body })
      setSentTo(email)
    },
  })
  if (sentTo)
    return (
      <AccountPage title={t('emailLink.sentTitle')} lead={t('emailLink.sentText', { email: sentTo })}>
        <AccountLinks>
          <Link to={paths.contactUs.to()}>{t('emailLink.contact')}</Link>
        </AccountLinks>
      </AccountPage>
    )
  const [title, lead] =
    purpose === 'cancel'
      ? [t('emailLink.requestCancelTitle'), t('emailLink.requestCancelLead')]
      : [t('emailLink.requestWithdrawTitle'), t('emailLink.requestWithdrawLead')]
  return (
    <AccountPage title={title} lead={lead}>
      <AccountForm form={form}>
        <EmailField field={form.field('email')} />
        <Field
          {...form.field('order_id')}
          label={t('emailLink.order')}
          hint={t('emailLink.orderHint')}
          autoComplete="off"
          required={false}
        />
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('emailLink.send')}
        </Button>
      </AccountForm>
      <AccountLinks>
        <Link to={paths.refundPolicy.to()}>{t('footer.refund')}</Link>
      </AccountLinks>
    </AccountPage>
  )
}
