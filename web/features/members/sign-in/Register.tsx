import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { registerUser } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { isEmail, isValidName, isValidPasswordLength } from '#web/lib/validation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { EmailField, NewPasswordFields } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { setCurrentUser } from '#web/features/members/queries.ts'
import { SocialProviders } from './SocialProviders.tsx'
import { useReturnAfterSignIn } from './use-return-after-sign-in.ts'

/** Registers the guest as a member, who keeps the guest's history, favorites and purchases. */
export function Register() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const returnAfterSignIn = useReturnAfterSignIn()
  const form = useForm({
    initial: { display_name: '', email: '', password: '', repeat_password: '' },
    validate: ({ display_name, email, password, repeat_password }) => ({
      ...(display_name && !isValidName(display_name) ? { display_name: t('account.nameInvalid') } : {}),
      ...(isEmail(email) ? {} : { email: t('account.emailInvalid') }),
      ...(isValidPasswordLength(password) ? {} : { password: t('account.passwordInvalid') }),
      ...(repeat_password === password && repeat_password
        ? {}
        : { repeat_password: t(repeat_password ? 'account.repeatInvalid' : 'account.repeatMissing') }),
    }),
    send: async ({ display_name, ...fields }) => {
      const optionalName = display_name ? { display_name } : {}
      setCurrentUser(queryClient, await call(registerUser, { body: { ...fields, ...optionalName } }))
      returnAfterSignIn()
    },
  })
  return (
    <AccountPage title={t('account.registerTitle')} lead={t('account.registerLead')}>
      <AccountForm form={form}>
        <EmailField field={form.field('email')} />
        <NewPasswordFields
          label={t('account.password')}
          password={form.field('password')}
          repeat={form.field('repeat_password')}
        />
        <Field
          {...form.field('display_name')}
          label={t('account.name')}
          hint={t('account.optional')}
          autoComplete="nickname"
          required={false}
        />
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('menu.register')}
        </Button>
      </AccountForm>
      <SocialProviders />
      <AccountLinks>
        <Link to={paths.signIn.to()} state={returnAfterSignIn.state}>
          {t('account.toSignIn')}
        </Link>
        <Link to={paths.serviceAgreement.to()}>{t('account.terms')}</Link>
        <Link to={paths.privacyPolicy.to()}>{t('footer.privacy')}</Link>
      </AccountLinks>
    </AccountPage>
  )
}
