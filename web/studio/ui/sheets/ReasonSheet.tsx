import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { FormSheet } from './FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'

/** Asks for the reason of an action; the reason is recorded in the audit log. */
export function ReasonSheet({
  title,
  text,
  action,
  onConfirm,
  onClose,
}: {
  title: string
  text: string
  /** The label of the button, a verb. */
  action: string
  /**
   * Runs the action. If the result is undefined, the action was rejected (as with `useCommand`), and the sheet stays
   * open.
   */
  onConfirm: (reason: string) => Promise<unknown>
  onClose: () => void
}) {
  const { t } = useTexts()
  const form = useGuardedForm({
    initial: { reason: '' },
    validate: ({ reason }) => (reason.trim() ? {} : { reason: t('payments.reasonMissing') }),
    send: async ({ reason }) => {
      if ((await onConfirm(reason.trim().slice(0, 200))) === undefined) return false
      onClose()
      return true
    },
  })
  return (
    <FormSheet title={title} form={form} action={action} look="danger" onClose={onClose}>
      <p>{text}</p>
      <Field
        {...form.field('reason')}
        label={t('payments.reason')}
        hint={t('payments.reasonHint')}
        autoComplete="off"
        autoFocus
      />
    </FormSheet>
  )
}
