import { useBlocker } from 'react-router'
import { useTexts } from '#web/studio/texts.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { hasUnsaved } from './use-unsaved.ts'

/** Asks before a navigation within the studio that would lose unsaved input. */
export function LeaveGuard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => hasUnsaved() && currentLocation.pathname !== nextLocation.pathname,
  )
  if (blocker.state !== 'blocked') return null
  return <ConfirmLeave onLeave={() => blocker.proceed()} onStay={() => blocker.reset()} />
}

/** The confirmation dialog. Enter stays on the page. */
export function ConfirmLeave({ onLeave, onStay }: { onLeave: () => void; onStay: () => void }) {
  const { t } = useTexts()
  return (
    <ConfirmSheet
      title={t('shell.leaveTitle')}
      text={t('shell.leaveText')}
      action={t('shell.leave')}
      cancelLabel={t('shell.keepEditing')}
      busy={false}
      onConfirm={onLeave}
      onClose={onStay}
    />
  )
}
