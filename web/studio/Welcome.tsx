import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { acceptInvitation, beginInvitation, type StudioSession } from '#contract/studio/operators.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { NewPasswordFields } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { AppSecret, RecoveryCodes } from '#web/features/members/settings/SetUpSecondFactor.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, CallRejected } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { operatorSessionQuery } from './queries.ts'
import { useTexts } from './texts.ts'
import { PageLink } from './ui/PageLink.tsx'

type Invited = ResultOf<typeof beginInvitation>

/** Accepts an invitation or reset link: sets password and second factor, then shows the recovery codes once. */
export function Welcome() {
  const { t } = useTexts()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [secret] = useState(() => new URLSearchParams(location.hash.slice(1)).get('invitation') ?? '')
  const [letIn, setLetIn] = useState<{ desk: StudioSession; codes: string[] } | null>(null)
  const invited = useQuery({
    queryKey: ['invitation', secret],
    // Fetched once, because each call creates another app secret and only the last one is valid.
    queryFn: () => call(beginInvitation, { body: { secret } }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
  const isSpent = invited.error instanceof CallRejected
  const goOn = () => {
    if (letIn) queryClient.setQueryData(operatorSessionQuery.queryKey, letIn.desk)
    void navigate('/studio', { replace: true })
  }
  return (
    <main>
      <AccountPage
        title={t('shell.welcome')}
        lead={isSpent ? '' : t(letIn ? 'shell.welcomeCodes' : 'shell.welcomeLead')}
      >
        {letIn ? (
          <RecoveryCodes codes={letIn.codes} onDone={goOn} heading="h2" />
        ) : invited.data ? (
          <SetUp invited={invited.data} secret={secret} onDone={setLetIn} />
        ) : isSpent ? (
          <div role="alert">
            <p>{t('shell.linkSpent')}</p>
            <PageLink to="/studio">{t('shell.signIn')}</PageLink>
          </div>
        ) : (
          invited.isError && <CouldNotLoad onRetry={() => void invited.refetch()} />
        )}
      </AccountPage>
    </main>
  )
}

function SetUp({
  invited,
  secret,
  onDone,
}: {
  invited: Invited
  secret: string
  onDone: (done: { desk: StudioSession; codes: string[] }) => void
}) {
  const { t } = useTexts()
  const { t: word } = useTranslation()
  const form = useForm({
    initial: { password: '', repeat_password: '', code: '' },
    messagesOf: ({ password, repeat_password, code }) => ({
      ...(password.length >= 8 ? {} : { password: word('account.passwordHint') }),
      ...(password === repeat_password ? {} : { repeat_password: word('account.repeatBad') }),
      ...(code ? {} : { code: word('account.codeMissing') }),
    }),
    send: async (given) => {
      const body = { ...given, code: given.code.trim(), secret }
      const { desk, recovery_codes: codes } = await call(acceptInvitation, { body })
      onDone({ desk, codes })
    },
  })
  return (
    <AccountForm form={{ ...form, signInFirst: false }}>
      <p>{t('shell.invited', { email: invited.email })}</p>
      <NewPasswordFields
        label={word('account.password')}
        password={form.field('password')}
        repeat={form.field('repeat_password')}
      />
      <AppSecret secret={invited.secret} url={invited.otpauth_url} heading="h2" />
      <Field
        {...form.field('code')}
        label={word('account.code')}
        hint={word('factor.codeOfApp')}
        inputMode="numeric"
        autoComplete="one-time-code"
      />
      <Button wide type="submit" disabled={form.busy}>
        {form.busy ? word('account.working') : t('shell.begin')}
      </Button>
    </AccountForm>
  )
}
