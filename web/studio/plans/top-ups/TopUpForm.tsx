import { useQueryClient } from '@tanstack/react-query'
import type { BodyOf } from '#contract/endpoint.ts'
import { planCurrencies } from '#contract/studio/plans.ts'
import type { addTopUp, StudioTopUp } from '#contract/studio/top-ups.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { parseCents, formatCents } from '#web/studio/format.ts'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { topUpsQuery } from './top-ups-query.ts'
import styles from '#web/studio/plans/plan-list.module.css'

type Terms = BodyOf<typeof addTopUp>
type Values = Record<'price' | 'bonus' | 'days' | 'currency' | 'position', string>

interface TopUpFormProps {
  topUp?: StudioTopUp
  action: string
  onSend: (terms: Terms) => Promise<void>
}

/** Creates or edits a top-up: its price, bonus, the days for which the bonus is valid, and its position. */
export function TopUpForm({ topUp, action, onSend }: TopUpFormProps) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const form = useGuardedForm<keyof Values>({
    initial: valuesOf(topUp),
    fieldOf: (field) => (field === 'price_cents' ? 'price' : field === 'bonus_cents' ? 'bonus' : undefined),
    validate: (values) => problemsOf(values, t),
    send: async (values) => {
      await onSend(termsOf(values))
      void queryClient.invalidateQueries({ queryKey: topUpsQuery.queryKey })
    },
  })
  const plain = { autoComplete: 'off' } as const
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate>
      <div className={styles.fields}>
        <Field {...form.field('price')} {...plain} label={t('topUps.price')} inputMode="decimal" />
        <Field
          {...form.field('bonus')}
          {...plain}
          label={t('topUps.bonus')}
          hint={t('topUps.bonusHint')}
          inputMode="decimal"
          required={false}
        />
        <Field
          {...form.field('days')}
          {...plain}
          label={t('topUps.bonusDays')}
          hint={t('topUps.bonusDaysHint')}
          inputMode="numeric"
          required={false}
        />
        {!topUp && (
          <SelectField
            label={t('topUps.currency')}
            value={form.value.currency}
            options={planCurrencies.map((value) => ({ value, label: value }))}
            onChoose={(currency) => form.set({ currency })}
          />
        )}
        <Field
          {...form.field('position')}
          {...plain}
          label={t('plans.position')}
          hint={t('plans.positionHint')}
          inputMode="numeric"
        />
      </div>
      {form.formError && <p role="alert">{form.formError}</p>}
      <Button type="submit" disabled={form.busy}>
        {action}
      </Button>
    </form>
  )
}

const valuesOf = (topUp: StudioTopUp | undefined): Values => ({
  // In the order of the fields on screen, because the first invalid field gets the focus.
  price: topUp ? formatCents(topUp.price_cents) : '',
  bonus: topUp && topUp.bonus_cents > 0 ? formatCents(topUp.bonus_cents) : '',
  days: topUp?.bonus_days ? String(topUp.bonus_days) : '',
  currency: topUp?.currency ?? 'USD',
  position: String(topUp?.position ?? 0),
})

const isNumber = (typed: string, min: number, max: number) =>
  /^\d{1,6}$/.test(typed) && Number(typed) >= min && Number(typed) <= max

function problemsOf({ price, bonus, days, position }: Values, t: Translate): Partial<Values> {
  return {
    ...((parseCents(price) ?? 0) > 0 ? {} : { price: t('plans.priceInvalid') }),
    ...(bonus.trim() === '' || parseCents(bonus) !== undefined ? {} : { bonus: t('topUps.bonusInvalid') }),
    ...(days === '' || isNumber(days, 1, 3650) ? {} : { days: t('topUps.daysInvalid') }),
    ...(isNumber(position, 0, 1000) ? {} : { position: t('plans.positionInvalid') }),
  }
}

const termsOf = ({ price, bonus, days, currency, position }: Values): Terms => ({
  price_cents: parseCents(price) ?? 0,
  bonus_cents: parseCents(bonus) ?? 0,
  bonus_days: days === '' ? null : Number(days),
  currency: planCurrencies.find((each) => each === currency) ?? 'USD',
  position: Number(position),
})
