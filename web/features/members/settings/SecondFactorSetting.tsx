import { lazy, Suspense } from 'react'
import type { User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { RemoveSecondFactor } from './RemoveSecondFactor.tsx'
import { Setting } from './Setting.tsx'

// Loaded on demand, because few users set it up.
const SetUpSecondFactor = lazy(async () => ({
  default: (await import('./SetUpSecondFactor.tsx')).SetUpSecondFactor,
}))

/** Shows whether two-step sign-in is on. Turns it on or off. */
export function SecondFactorSetting({ user }: { user: User }) {
  const { t } = useTranslation()
  const on = user.second_factor
  return (
    <Setting
      title={t('secondFactor.title')}
      text={t(on ? 'secondFactor.on' : 'secondFactor.off')}
      action={t(on ? 'secondFactor.remove' : 'secondFactor.setUp')}
    >
      {(done) =>
        on ? (
          <RemoveSecondFactor user={user} onDone={done} />
        ) : (
          <Suspense>
            <SetUpSecondFactor user={user} onDone={done} />
          </Suspense>
        )
      }
    </Setting>
  )
}
