import { useBlocker } from 'react-router'
import { useTexts } from '#web/studio/texts.ts'
import { AskFirst } from '#web/studio/ui/sheets/AskFirst.tsx'
import { hasUnsaved } from './unsaved.ts'

/** Asks before another page of the studio takes the place of something that is not saved. */
export function LeaveGuard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => hasUnsaved() && currentLocation.pathname !== nextLocation.pathname,
  )
  if (blocker.state !== 'blocked') return null
  return <AskToLeave onLeave={() => blocker.proceed()} onStay={() => blocker.reset()} />
}

/** The question itself; to stay is what Enter does. */
export function AskToLeave({ onLeave, onStay }: { onLeave: () => void; onStay: () => void }) {
  const { t } = useTexts()
  return (
    <AskFirst
      title={t('shell.leaveTitle')}
      text={t('shell.leaveText')}
      action={t('shell.leave')}
      stay={t('shell.stay')}
      busy={false}
      onDo={onLeave}
      onClose={onStay}
    />
  )
}
