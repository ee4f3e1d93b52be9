import { grantEntitlement } from '#contract/studio/customers.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { VideoChoice } from '#web/studio/content/VideoChoice.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import styles from './customers.module.css'

const wholeNumber = (typed: string, most: number) => /^[1-9]\d{0,5}$/.test(typed) && Number(typed) <= most

/** Grants an entitlement: to all videos for some days, to one video, or to one of its episodes. */
export function GrantForm({ customer }: { customer: string }) {
  const { t } = useTexts()
  const { run } = useCommand(grantEntitlement, null)
  const form = useGuardedForm({
    initial: { title: '', video: '', number: '', days: '30', reason: '' },
    validate: ({ title, video, number, days, reason }) => ({
      // Without this check, a typed title without a chosen video would grant all videos.
      ...((title.trim() || number) && !video ? { title: t('customers.videoNotChosen') } : {}),
      ...(number && !wholeNumber(number, 100_000) ? { number: t('customers.numberInvalid') } : {}),
      ...(wholeNumber(days, 3650) || (video && !days) ? {} : { days: t('customers.daysInvalid') }),
      ...(reason.trim() ? {} : { reason: t('payments.reasonMissing') }),
    }),
    send: async ({ video, number, days, reason }) => {
      const granted = await run({
        customer,
        reason: reason.trim().slice(0, 200),
        ...(video ? { video_id: video } : {}),
        ...(video && number ? { number: Number(number) } : {}),
        ...(days ? { days: Number(days) } : {}),
      })
      if (!granted) return false
      notify(t('customers.accessGranted'))
      form.reset({ title: '', video: '', number: '', reason: '' })
      return true
    },
  })
  const { title, video } = form.value
  return (
    <form className={styles.grant} onSubmit={form.submit} noValidate>
      <Field
        {...form.field('title')}
        // The search results change, so a video that was chosen from the previous results is deselected.
        onValue={(typed) => form.set({ title: typed, video: '' })}
        label={t('customers.video')}
        hint={t('customers.videoHint')}
        autoComplete="off"
        required={false}
      />
      <VideoChoice
        keyword={title.trim()}
        value={video}
        label={t('customers.grantTarget')}
        none={t('customers.everything')}
        hint={t('customers.grantTargetHint')}
        onChoose={(id) => form.set({ video: id })}
      />
      <Field
        {...form.field('number')}
        label={t('customers.number')}
        hint={t('customers.numberHint')}
        inputMode="numeric"
        autoComplete="off"
        required={false}
      />
      <Field
        {...form.field('days')}
        label={t('customers.days')}
        hint={t('customers.daysHint')}
        inputMode="numeric"
        autoComplete="off"
        required={false}
      />
      <Field
        {...form.field('reason')}
        label={t('payments.reason')}
        hint={t('payments.reasonHint')}
        autoComplete="off"
      />
      <Button type="submit" disabled={form.busy}>
        {t('customers.grantConfirm')}
      </Button>
    </form>
  )
}
