import { useEffect, useRef, useState } from 'react'
import { sendMessage } from '#contract/pages.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { isEmail, isValidMessage, isValidName } from '#web/lib/validation.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import styles from './text-page.module.css'

/** Sends a message to the operator. If sending fails, the typed text stays in the form. */
export function ContactForm() {
  const [sentTo, setSentTo] = useState('')
  return sentTo ? <Thanks email={sentTo} onAgain={() => setSentTo('')} /> : <Form onSent={setSentTo} />
}

function Form({ onSent }: { onSent: (email: string) => void }) {
  const { t } = useTranslation()
  const form = useForm({
    initial: { name: '', email: '', message: '' },
    validate: ({ name, email, message }) => ({
      ...(isValidName(name) ? {} : { name: t('pages.nameInvalid') }),
      ...(isEmail(email) ? {} : { email: t('pages.emailInvalid') }),
      ...(isValidMessage(message) ? {} : { message: t('pages.messageInvalid') }),
    }),
    send: async (value) => {
      await call(sendMessage, { body: value })
      onSent(value.email.trim())
    },
  })
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.busy}>
      <h2>{t('pages.contactUs')}</h2>
      {form.formError && <p role="alert">{form.formError}</p>}
      <Field {...form.field('name')} label={t('pages.name')} autoComplete="name" />
      <Field
        {...form.field('email')}
        label={t('pages.email')}
        hint={t('pages.emailHint')}
        type="email"
        inputMode="email"
        autoComplete="email"
      />
      <Field {...form.field('message')} label={t('pages.message')} lines={6} autoComplete="off" />
      <Button wide type="submit" disabled={form.busy}>
        {form.busy ? t('pages.sending') : t('pages.send')}
      </Button>
    </form>
  )
}

function Thanks({ email, onAgain }: { email: string; onAgain: () => void }) {
  const { t } = useTranslation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className={styles.form} role="status">
      <h2 ref={heading} tabIndex={-1}>
        {t('pages.sentTitle')}
      </h2>
      <p>{t('pages.sentText', { email })}</p>
      <Button variant="quiet" onClick={onAgain}>
        {t('pages.writeAnother')}
      </Button>
    </div>
  )
}
