import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { openStudioSession } from '#contract/studio/operators.ts'
import { EmailField, PasswordField } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { CodeField } from '#web/features/members/forms/CodeField.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { isEmail } from '#web/lib/validation.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { Brand } from './Brand.tsx'
import { operatorSessionQuery, allButSession } from './session-queries.ts'
import { useTexts } from './texts.ts'
import styles from './studio-shell.module.css'

/**
 * The sign-in for operators: e-mail address and password, then the code of the second factor.
 * @param previousOperatorId the id of the previous operator, whose unsaved page is open behind the sign-in
 */
export function SignIn({ previousOperatorId }: { previousOperatorId?: string }) {
  const { t } = useTexts()
  const { t: tShared } = useTranslation()
  const queryClient = useQueryClient()
  const [asksForCode, setAsksForCode] = useState(false)
  const form = useForm({
    initial: { email: '', password: '', totp: '' },
    validate: ({ email, password, totp }) => ({
      ...(isEmail(email) ? {} : { email: tShared('account.emailInvalid') }),
      ...(password ? {} : { password: tShared('account.passwordMissing') }),
      ...(asksForCode && !totp ? { totp: tShared('account.codeMissing') } : {}),
    }),
    send: async ({ totp, ...fields }) => {
      try {
        const body = { ...fields, ...(asksForCode ? { totp: totp.trim() } : {}) }
        const session = await call(openStudioSession, { body })
        // The new operator may have fewer permissions, so the data of the previous operator is removed.
        if (session.operator.id !== previousOperatorId) queryClient.removeQueries(allButSession)
        queryClient.setQueryData(operatorSessionQuery.queryKey, session)
        // Refetches queries that failed while nobody was signed in.
        void queryClient.refetchQueries({
          type: 'active',
          predicate: ({ state }) => state.status === 'error',
        })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 401)) throw error
        setAsksForCode(true)
      }
    },
  })
  return (
    <AccountPage
      title={t('shell.signIn')}
      lead={t(previousOperatorId ? 'shell.signInAgain' : 'shell.signInLead')}
      above={<Brand />}
    >
      <AccountForm form={{ ...form, sessionExpired: false }}>
        <EmailField field={form.field('email')} />
        <PasswordField
          field={form.field('password')}
          label={tShared('account.password')}
          autoComplete="current-password"
        />
        {asksForCode && <CodeField field={form.field('totp')} />}
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? tShared('account.working') : t('shell.signIn')}
        </Button>
      </AccountForm>
      {!previousOperatorId && <p className={styles.noAccess}>{t('shell.noAccess')}</p>}
    </AccountPage>
  )
}
