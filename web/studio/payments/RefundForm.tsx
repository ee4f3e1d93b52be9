import { useQueryClient } from '@tanstack/react-query'
import { refundOrder, type OrderDetails } from '#contract/studio/orders.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { FormSheet } from '#web/studio/ui/sheets/FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { parseCents, formatCents } from '#web/studio/format.ts'
import styles from './payments.module.css'

/**
 * Refunds an order. The default amount is the maximum that the role may still refund; for a top-up, its unspent
 * part.
 */
export function RefundForm({ details, onClose }: { details: OrderDetails; onClose: () => void }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const { order, refundable_cents: maxCents, unspent_cents: unspent } = details
  const left = order.amount_cents - order.refunded_cents
  const form = useGuardedForm<'amount' | 'reason'>({
    // If the top-up is fully spent, every refund is a loss; the default is then the maximum.
    initial: { amount: formatCents(Math.min(maxCents, unspent || maxCents)), reason: '' },
    fieldOf: (field) => (field === 'amount_cents' ? 'amount' : undefined),
    validate: ({ amount, reason }) => ({
      ...(isWithin(parseCents(amount), maxCents)
        ? {}
        : { amount: t('payments.amountInvalid', { max: money(maxCents, order.currency) }) }),
      ...(reason.trim() || isUnspent(parseCents(amount), unspent)
        ? {}
        : { reason: t('payments.reasonMissing') }),
    }),
    send: async ({ amount, reason }) => {
      const cents = parseCents(amount)
      if (cents === undefined) return
      const known_refunded_cents = order.refunded_cents
      const trimmedReason = reason.trim().slice(0, 200)
      const body = {
        id: order.id,
        amount_cents: cents,
        ...(trimmedReason ? { reason: trimmedReason } : {}),
        known_refunded_cents,
      }
      const refund = await call(refundOrder, { body })
      const amountText = money(refund.amount_cents, refund.currency)
      notify(
        t(refund.status === 'succeeded' ? 'payments.refundDone' : 'payments.refundSending', {
          amount: amountText,
        }),
      )
      void queryClient.invalidateQueries({ queryKey: ['order', order.id] })
      void queryClient.invalidateQueries({ queryKey: ['audit', order.id] })
      void queryClient.invalidateQueries({ queryKey: ['orders'] })
      onClose()
    },
  })
  const cents = parseCents(form.value.amount)
  return (
    <FormSheet
      title={t('payments.refund')}
      form={form}
      action={t('payments.refund')}
      look="danger"
      onClose={onClose}
    >
      <p role="status">{refundHint(t, { cents, left, max: maxCents, unspent })}</p>
      {maxCents < left && <p>{t('payments.refundLimit', { max: money(maxCents, order.currency) })}</p>}
      <Field
        {...form.field('amount')}
        label={t('payments.refundAmount', { currency: order.currency })}
        inputMode="decimal"
        autoComplete="off"
        autoFocus
      />
      <Field
        {...form.field('reason')}
        label={t('payments.reason')}
        hint={t('payments.reasonHint')}
        required={!isUnspent(cents, unspent)}
        autoComplete="off"
      />
      {form.formError && (
        <p className={styles.bad} role="alert">
          {form.formError}
        </p>
      )}
    </FormSheet>
  )
}

interface Amounts {
  cents: number | undefined
  /** The part of the amount that is not refunded yet. */
  left: number
  /** The maximum that the role may refund. */
  max: number
  /** The unspent amount of a top-up. */
  unspent: number | undefined
}

/** Describes the effect of a refund of this amount; '' if the amount is invalid. */
function refundHint(t: Translate, { cents, left, max, unspent }: Amounts): string {
  if (!isWithin(cents, max)) return cents !== undefined && cents > max ? t('payments.refundTooMuch') : ''
  if (unspent !== undefined)
    return t(isUnspent(cents, unspent) ? 'payments.refundUnspent' : 'payments.refundSpent')
  return t(cents === left ? 'payments.refundWhole' : 'payments.refundPart')
}

/** Returns whether a refund of a top-up takes only its unspent part. */
const isUnspent = (cents: number | undefined, unspent: number | undefined) =>
  cents !== undefined && unspent !== undefined && cents <= unspent

const isWithin = (cents: number | undefined, max: number) => cents !== undefined && cents >= 1 && cents <= max
