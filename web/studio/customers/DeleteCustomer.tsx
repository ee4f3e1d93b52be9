import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteCustomer } from '#contract/studio/customers.ts'
import type { RemainingBalance } from '#contract/top-ups.ts'
import { Checkbox } from '#web/features/members/forms/Checkbox.tsx'
import { remainingBalancesFromError } from '#web/features/members/settings/remaining-balances.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Field } from '#web/ui/forms/Field.tsx'
import { allButSession } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { FormSheet } from '#web/studio/ui/sheets/FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import styles from './customers.module.css'

/**
 * Deletes a customer after asking for the reason. If the balance contains paid money, also asks whether the customer
 * forfeits it.
 */
export function DeleteCustomer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const [balancesLeft, setBalancesLeft] = useState<RemainingBalance[]>([])
  const form = useGuardedForm({
    initial: { reason: '', forfeit: '' },
    validate: ({ reason, forfeit }) => ({
      ...(reason.trim() ? {} : { reason: t('payments.reasonMissing') }),
      ...(balancesLeft.length === 0 || forfeit ? {} : { forfeit: t('customers.forfeitMissing') }),
    }),
    send: async ({ reason, forfeit }) => {
      const request = { id, reason: reason.trim().slice(0, 200) }
      const body = balancesLeft.length > 0 && forfeit ? { ...request, forfeit_balance: true } : request
      await call(deleteCustomer, { body }).catch((error: unknown) => {
        setBalancesLeft(remainingBalancesFromError(error))
        throw error
      })
      notify(t('done.customerDeleted'))
      void queryClient.invalidateQueries(allButSession)
      onClose()
    },
  })
  const amount = balancesLeft.map(({ amount_cents, currency }) => money(amount_cents, currency)).join(', ')
  return (
    <FormSheet
      title={t('customers.deleteTitle')}
      form={form}
      action={t('customers.delete')}
      look="danger"
      onClose={onClose}
    >
      <p>{t('customers.deleteText')}</p>
      <Field
        {...form.field('reason')}
        label={t('payments.reason')}
        hint={t('payments.reasonHint')}
        autoComplete="off"
        autoFocus
      />
      {amount && (
        <div role="status">
          <p>{t('customers.remainingBalance', { amount })}</p>
          <Checkbox {...form.field('forfeit')} label={t('customers.forfeit', { amount })} />
        </div>
      )}
      {!amount && form.formError && (
        <p className={styles.bad} role="alert">
          {form.formError}
        </p>
      )}
    </FormSheet>
  )
}
