import { useQueryClient } from '@tanstack/react-query'
import {
  changeExperiment,
  createExperiment,
  experimentKinds,
  type Experiment,
} from '#contract/studio/experiments.ts'
import { payLayouts } from '#contract/studio/homepage.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { VideoField } from '#web/studio/analytics/VideoField.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { useNavigateDiscarding } from '#web/studio/ui/unsaved/use-unsaved.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import {
  variantLetter,
  bodyOf,
  isPriced,
  otherVariants,
  problemsOf,
  valuesOf,
  type DraftValues,
} from './draft-values.ts'
import styles from './experiment-list.module.css'

/** Creates an experiment, or edits a draft. */
export function ExperimentForm({ experiment }: { experiment?: Experiment }) {
  const { t } = useTexts()
  const goOn = useNavigateDiscarding()
  const queryClient = useQueryClient()
  const form = useGuardedForm<keyof DraftValues>({
    initial: valuesOf(experiment),
    fieldOf: (field) => (field === 'variants' ? 'one' : undefined),
    validate: (values) => problemsOf(values, t),
    send: async (values) => {
      const body = bodyOf(values)
      const { id } = experiment
        ? await call(changeExperiment, {
            body: { id: experiment.id, name: body.name, variants: body.variants },
          })
        : await call(createExperiment, { body })
      void queryClient.invalidateQueries({ queryKey: ['experiments'] })
      notify(t('content.saved'))
      if (!experiment) goOn(`/studio/experiments/${id}`)
    },
  })
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate>
      <Field {...form.field('name')} label={t('experiments.name')} autoComplete="off" />
      {!experiment && (
        <SelectField
          label={t('experiments.kind')}
          value={form.value.kind}
          options={experimentKinds.map((value) => ({ value, label: t(`experiments.kinds.${value}`) }))}
          onChoose={(kind) => form.set({ kind })}
        />
      )}
      {!experiment && <Target form={form} />}
      <p className={styles.hint}>{t('experiments.controlHint')}</p>
      {form.value.kind === 'pay_theme' ? <Theme form={form} /> : <Values form={form} />}
      <Field
        {...form.field('share')}
        label={t('experiments.share')}
        hint={t('experiments.shareHint')}
        inputMode="numeric"
        autoComplete="off"
      />
      {form.formError && <p role="alert">{form.formError}</p>}
      <Button type="submit" disabled={form.busy}>
        {t(experiment ? 'experiments.save' : 'experiments.saveDraft')}
      </Button>
    </form>
  )
}

type Fields = { form: ReturnType<typeof useGuardedForm<keyof DraftValues>> }

function Target({ form }: Fields) {
  const { t } = useTexts()
  if (form.value.kind === 'pay_theme') return null
  return (
    <VideoField
      {...form.field('target')}
      label={t('experiments.video')}
      hint={t(isPriced(form.value.kind) ? 'experiments.oneVideoHint' : 'experiments.videoHint')}
      required={isPriced(form.value.kind)}
      chosen={form.value.video}
      // The search results change, so a video that was chosen from the previous results is deselected.
      onValue={(target) => form.set({ target, video: '' })}
      onChoose={(video) => form.set({ video })}
    />
  )
}

function Values({ form }: Fields) {
  const { t } = useTexts()
  const priced = isPriced(form.value.kind)
  return (
    <div className={styles.fields}>
      {otherVariants.map((name, index) => (
        <Field
          key={name}
          {...form.field(name)}
          label={t(priced ? 'experiments.priceOf' : 'experiments.freeEpisodesOf', {
            variant: variantLetter(index + 1),
          })}
          inputMode={priced ? 'decimal' : 'numeric'}
          required={index === 0}
          {...(index > 0 && { hint: t('experiments.variantHint') })}
          autoComplete="off"
        />
      ))}
    </div>
  )
}

function Theme({ form }: Fields) {
  const { t } = useTexts()
  return (
    <div className={styles.fields}>
      <SelectField
        label={t('experiments.layout')}
        value={form.value.layout}
        options={['', ...payLayouts].map((value) => ({
          value,
          label:
            value === ''
              ? t('experiments.control')
              : t(value === 'card' ? 'experiments.card' : 'experiments.sheet'),
        }))}
        onChoose={(layout) => form.set({ layout })}
      />
      <Field
        {...form.field('accent')}
        label={t('experiments.accent')}
        hint={t('experiments.accentHint')}
        required={false}
        autoComplete="off"
      />
    </div>
  )
}
