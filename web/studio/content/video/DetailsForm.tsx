import { badges } from '#contract/catalog.ts'
import { planCurrencies } from '#contract/studio/plans.ts'
import type { StudioVideoPage, InheritedValues } from '#contract/studio/videos.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { localizedName } from '#web/studio/format.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { useDetailsForm } from './use-details-form.ts'
import { Warnings } from './Warnings.tsx'
import styles from '#web/studio/content/content.module.css'

type Form = ReturnType<typeof useDetailsForm>['form']

/** Edits category, tags, free episodes, prices and badge, and whether the video is featured. */
export function DetailsForm({ video }: { video: StudioVideoPage }) {
  const { t } = useTexts()
  const { form, labels, warnings, asks: warningsToConfirm, saveAnyway, changeFirst } = useDetailsForm(video)
  const hintOf = (known: readonly { name: string }[] = []) =>
    known.length > 0 &&
    t('content.existingNames', {
      names: known
        .slice(0, 8)
        .map(({ name }) => name)
        .join(', '),
    })
  return (
    <>
      <form className={styles.stack} onSubmit={form.submit} noValidate>
        {video.inherited && <InheritedNotice inherited={video.inherited} />}
        <div className={styles.details}>
          <Field
            {...form.field('category')}
            label={t('content.category')}
            hint={hintOf(labels?.categories) || t('content.categoryHint')}
            autoComplete="off"
            required={false}
          />
          <Field
            {...form.field('tags')}
            label={t('content.tags')}
            hint={hintOf(labels?.tags) || t('content.tagsHint')}
            autoComplete="off"
            required={false}
          />
          <Prices form={form} currency={video.price.currency} />
          <PromotionFields form={form} />
        </div>
        <Warnings warnings={warnings} />
        <Button type="submit" disabled={form.busy}>
          {t('content.saveDetails')}
        </Button>
      </form>
      {warningsToConfirm && (
        <ConfirmSheet
          title={t('content.warningTitle')}
          text={`${warningsToConfirm.map((warning) => t(`content.warning.${warning}`)).join(' ')} ${t('content.warningText')}`}
          action={t('content.saveAnyway')}
          busy={form.busy}
          onConfirm={saveAnyway}
          onClose={changeFirst}
        />
      )}
    </>
  )
}

/** The fields for the number of free episodes and for prices. `currency` is the video's current currency. */
function Prices({ form, currency }: { form: Form; currency: string }) {
  const { t } = useTexts()
  return (
    <>
      <Field
        {...form.field('free_episodes')}
        label={t('content.free')}
        hint={t('content.freeHint')}
        inputMode="numeric"
        autoComplete="off"
      />
      <Field
        {...form.field('episode_cents')}
        label={t('content.episodePrice')}
        inputMode="decimal"
        autoComplete="off"
      />
      <Field
        {...form.field('video_cents')}
        label={t('content.videoPrice')}
        inputMode="decimal"
        autoComplete="off"
      />
      <SelectField
        label={t('content.currency')}
        value={form.value.currency}
        options={currenciesWith(currency).map((value) => ({ value, label: value }))}
        onChoose={(chosen) => form.set({ currency: chosen })}
      />
    </>
  )
}

/** The fields for the badge and for featuring the video. */
function PromotionFields({ form }: { form: Form }) {
  const { t } = useTexts()
  return (
    <>
      <SelectField
        label={t('content.badge')}
        hint={t('content.badgeHint')}
        value={form.value.badge}
        options={[
          { value: '', label: t('content.noBadge') },
          ...badges.map((badge) => ({ value: badge, label: t(`content.badges.${badge}`) })),
        ]}
        onChoose={(badge) => form.set({ badge })}
      />
      <SelectField
        label={t('content.featured')}
        value={form.value.featured}
        hint={t('content.featuredHint')}
        options={(['yes', 'no'] as const).map((each) => ({ value: each, label: t(`content.${each}`) }))}
        onChoose={(featured) => form.set({ featured })}
      />
    </>
  )
}

/** Names the video from which a new draft has inherited its prices and free episodes. */
function InheritedNotice({ inherited: { fields, from } }: { inherited: InheritedValues }) {
  const { t, language } = useTexts()
  const what = fields.map((field) => t(`content.inheritedFields.${field}`)).join(', ')
  return (
    <p className={styles.quiet}>
      {from
        ? t('content.inheritedFrom', { what, title: localizedName(from, language) })
        : t('content.inheritedDefaults', { what })}
    </p>
  )
}

/** Returns the currencies that plans use, and the video's own currency. */
const currenciesWith = (own: string) => [...new Set([own, ...planCurrencies])]
