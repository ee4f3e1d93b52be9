import { useQueryClient } from '@tanstack/react-query'
import type { BodyOf } from '#contract/endpoint.ts'
import { languages, type Language } from '#contract/languages.ts'
import { planCurrencies, type addPlan, type StudioPlan } from '#contract/studio/plans.ts'
import { languageNames } from '#web/lib/language.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field, type FormField } from '#web/ui/forms/Field.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { parseCents, formatCents } from '#web/studio/format.ts'
import styles from './plan-list.module.css'

type Terms = BodyOf<typeof addPlan>
type TextName = `${'name' | 'description'}_${Language}`
type Values = Record<TextName | 'price' | 'intro' | 'days' | 'currency' | 'highlight' | 'position', string>

/** Creates or edits a plan: its texts in each language, prices, period, currency, highlight and position. */
export function PlanForm({
  plan,
  action,
  onSend,
}: {
  plan?: StudioPlan
  action: string
  onSend: (terms: Terms) => Promise<void>
}) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const form = useGuardedForm<keyof Values>({
    initial: valuesOf(plan),
    fieldOf: (field) =>
      field === 'intro_price_cents' ? 'intro' : field === 'price_cents' ? 'price' : undefined,
    validate: (values) => problemsOf(values, t),
    send: async (values) => {
      await onSend(termsOf(values))
      void queryClient.invalidateQueries({ queryKey: ['plans'] })
    },
  })
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate>
      <PlanTerms form={form} isNew={plan === undefined} />
      <PlanTexts field={form.field} />
      {form.formError && <p role="alert">{form.formError}</p>}
      <Button type="submit" disabled={form.busy}>
        {action}
      </Button>
    </form>
  )
}

type PlanFields = ReturnType<typeof useGuardedForm<keyof Values>>

function PlanTerms({ form, isNew }: { form: PlanFields; isNew: boolean }) {
  const { t } = useTexts()
  const plain = { autoComplete: 'off' } as const
  return (
    <div className={styles.fields}>
      <Field {...form.field('price')} {...plain} label={t('plans.price')} inputMode="decimal" />
      <Field
        {...form.field('intro')}
        {...plain}
        label={t('plans.intro')}
        hint={t('plans.introHint')}
        inputMode="decimal"
        required={false}
      />
      {isNew && (
        <SelectField
          label={t('plans.currency')}
          value={form.value.currency}
          options={planCurrencies.map((value) => ({ value, label: value }))}
          onChoose={(currency) => form.set({ currency })}
        />
      )}
      <Field {...form.field('days')} {...plain} label={t('plans.billingIntervalDays')} inputMode="numeric" />
      <Field
        {...form.field('position')}
        {...plain}
        label={t('plans.position')}
        hint={t('plans.positionHint')}
        inputMode="numeric"
      />
      <SelectField
        label={t('plans.highlight')}
        hint={t('plans.highlightHint')}
        value={form.value.highlight}
        options={[
          { value: 'no', label: t('plans.no') },
          { value: 'yes', label: t('plans.yes') },
        ]}
        onChoose={(highlight) => form.set({ highlight })}
      />
    </div>
  )
}

function PlanTexts({ field }: { field: (name: TextName) => FormField }) {
  const { t } = useTexts()
  return (
    <div className={styles.languages}>
      {languages.map((language) => (
        <fieldset key={language} className={styles.language}>
          <legend>{languageNames[language]}</legend>
          <Field
            {...field(`name_${language}`)}
            label={t('plans.name')}
            autoComplete="off"
            required={language === 'en'}
          />
          <Field
            {...field(`description_${language}`)}
            label={t('plans.description')}
            lines={3}
            autoComplete="off"
            required={language === 'en'}
          />
        </fieldset>
      ))}
    </div>
  )
}

function valuesOf(plan: StudioPlan | undefined): Values {
  const texts = languages.flatMap((language) => [
    [`name_${language}`, plan?.names[language] ?? ''],
    [`description_${language}`, plan?.descriptions[language] ?? ''],
  ])
  // In the order of the fields on screen, because the first invalid field gets the focus.
  return {
    price: plan ? formatCents(plan.price_cents) : '',
    intro: plan?.intro_price_cents ? formatCents(plan.intro_price_cents) : '',
    days: String(plan?.period_days ?? 30),
    currency: plan?.currency ?? 'USD',
    highlight: plan?.highlight ? 'yes' : 'no',
    position: String(plan?.position ?? 0),
    // `Object.fromEntries` loses the type of the names.
    ...(Object.fromEntries(texts) as Record<TextName, string>),
  }
}

const isNumber = (typed: string, min: number, max: number) =>
  /^\d{1,6}$/.test(typed) && Number(typed) >= min && Number(typed) <= max

function problemsOf(values: Values, t: Translate): Partial<Values> {
  const { price, intro, days, position } = values
  return {
    ...((parseCents(price) ?? 0) > 0 ? {} : { price: t('plans.priceInvalid') }),
    ...(intro === '' || (parseCents(intro) ?? 0) > 0 ? {} : { intro: t('plans.priceInvalid') }),
    ...(isNumber(days, 1, 3650) ? {} : { days: t('plans.daysInvalid') }),
    ...(isNumber(position, 0, 1000) ? {} : { position: t('plans.positionInvalid') }),
    ...(values.name_en.trim() ? {} : { name_en: t('plans.textMissing') }),
    ...(values.description_en.trim() ? {} : { description_en: t('plans.textMissing') }),
  }
}

function termsOf(values: Values): Terms {
  const textsOf = (kind: 'name' | 'description') => ({
    en: values[`${kind}_en`].trim(),
    es: values[`${kind}_es`].trim(),
    fy: values[`${kind}_fy`].trim(),
    dy: values[`${kind}_dy`].trim(),
    pt: values[`${kind}_pt`].trim(),
  })
  return {
    names: textsOf('name'),
    descriptions: textsOf('description'),
    price_cents: parseCents(values.price) ?? 0,
    intro_price_cents: values.intro === '' ? null : (parseCents(values.intro) ?? null),
    period_days: Number(values.days),
    currency: planCurrencies.find((each) => each === values.currency) ?? 'USD',
    highlight: values.highlight === 'yes',
    position: Number(values.position),
  }
}
