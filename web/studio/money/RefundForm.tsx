import { useQueryClient } from '@tanstack/react-query'
import { refundOrder, type OrderFile } from '#contract/studio/orders.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/money.ts'
import { notify } from '#web/lib/notify.ts'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts, type Say } from '#web/studio/texts.ts'
import { FormSheet } from '#web/studio/ui/sheets/FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { centsOf, decimalOf } from '#web/studio/format.ts'
import styles from './money.module.css'

/** Gives money back: as much as is left or as the role may, unless less is wished. */
export function RefundForm({ file, onClose }: { file: OrderFile; onClose: () => void }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const { order, refundable_cents: most } = file
  const left = order.amount_cents - order.refunded_cents
  const form = useGuardedForm<'amount' | 'reason'>({
    initial: { amount: decimalOf(most), reason: '' },
    fieldOf: (field) => (field === 'cents' ? 'amount' : undefined),
    messagesOf: ({ amount, reason }) => ({
      ...(isWithin(centsOf(amount), most)
        ? {}
        : { amount: t('money.amountBad', { most: money(most, order.currency) }) }),
      ...(reason.trim() ? {} : { reason: t('money.reasonMissing') }),
    }),
    send: async ({ amount, reason }) => {
      const cents = centsOf(amount)
      if (cents === undefined) return
      const known_refunded_cents = order.refunded_cents
      const body = { id: order.id, cents, reason: reason.trim().slice(0, 200), known_refunded_cents }
      const made = await call(refundOrder, { body })
      const amountText = money(made.amount_cents, made.currency)
      notify(t(made.status === 'done' ? 'money.refundDone' : 'money.refundSending', { amount: amountText }))
      void queryClient.invalidateQueries({ queryKey: ['order', order.id] })
      void queryClient.invalidateQueries({ queryKey: ['audit', order.id] })
      void queryClient.invalidateQueries({ queryKey: ['orders'] })
      onClose()
    },
  })
  const cents = centsOf(form.value.amount)
  return (
    <FormSheet
      title={t('money.refund')}
      form={form}
      action={t('money.refund')}
      look="danger"
      onClose={onClose}
    >
      <p role="status">{effectOf(t, { cents, left, most })}</p>
      {most < left && <p>{t('money.refundLimit', { most: money(most, order.currency) })}</p>}
      <Field
        {...form.field('amount')}
        label={t('money.refundAmount', { currency: order.currency })}
        inputMode="decimal"
        autoComplete="off"
        autoFocus
      />
      <Field
        {...form.field('reason')}
        label={t('money.reason')}
        hint={t('money.reasonHint')}
        autoComplete="off"
      />
      {form.problem && (
        <p className={styles.bad} role="alert">
          {form.problem}
        </p>
      )}
    </FormSheet>
  )
}

/** What a refund of the amount does; an amount that cannot be refunded does nothing. */
function effectOf(
  t: Say,
  { cents, left, most }: { cents: number | undefined; left: number; most: number },
): string {
  if (!isWithin(cents, most)) return cents !== undefined && cents > most ? t('money.refundTooMuch') : ''
  return t(cents === left ? 'money.refundWhole' : 'money.refundPart')
}

const isWithin = (cents: number | undefined, most: number) =>
  cents !== undefined && cents >= 1 && cents <= most
