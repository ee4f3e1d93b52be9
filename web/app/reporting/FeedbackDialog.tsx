import '#web/i18n/feedback.ts'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { isEmail, isValidMessage, isValidName } from '#web/lib/validation.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import styles from './feedback-dialog.module.css'
import { sendFeedback } from './send-feedback.ts'

/** A form for feedback in the user's own words. If sending fails, the typed text stays in the form. */
export function FeedbackDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const [sent, setSent] = useState(false)
  return (
    <Sheet title={t('feedback.title')} onClose={onClose}>
      {sent ? <Thanks /> : <Form onSent={() => setSent(true)} />}
    </Sheet>
  )
}

function Form({ onSent }: { onSent: () => void }) {
  const { t } = useTranslation()
  const form = useForm({
    initial: { message: '', name: '', email: '' },
    validate: ({ message, name, email }) => ({
      ...(isValidMessage(message) ? {} : { message: t('feedback.messageInvalid') }),
      ...(!name || isValidName(name) ? {} : { name: t('feedback.nameInvalid') }),
      ...(!email || isEmail(email) ? {} : { email: t('feedback.emailInvalid') }),
    }),
    send: (value) => sendFeedback(value).then(onSent, () => notify(t('feedback.failed'))),
  })
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.busy}>
      <p>{t('feedback.text')}</p>
      <Field {...form.field('message')} label={t('feedback.message')} lines={5} autoComplete="off" />
      <Field {...form.field('name')} label={t('feedback.name')} required={false} autoComplete="name" />
      <Field
        {...form.field('email')}
        label={t('feedback.email')}
        hint={t('feedback.emailHint')}
        required={false}
        type="email"
        inputMode="email"
        autoComplete="email"
      />
      <Button wide type="submit" disabled={form.busy}>
        {form.busy ? t('feedback.sending') : t('feedback.send')}
      </Button>
    </form>
  )
}

function Thanks() {
  const { t } = useTranslation()
  const paragraph = useRef<HTMLParagraphElement>(null)
  useEffect(() => paragraph.current?.focus(), [])
  return (
    <p ref={paragraph} tabIndex={-1}>
      {t('feedback.thanks')}
    </p>
  )
}
