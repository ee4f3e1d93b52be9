import { useBlocker } from 'react-router'
import { Button } from '#web/ui/Button.tsx'
import { Sheet } from '#web/ui/Sheet.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { hasUnsaved } from './unsaved.ts'
import styles from './page.module.css'

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
    <Sheet title={t('desk.leaveTitle')} onClose={onStay}>
      <div className={styles.panel}>
        <p>{t('desk.leaveText')}</p>
        <div className={styles.actions}>
          <Button ref={focusFirst} onClick={onStay}>
            {t('desk.stay')}
          </Button>
          <Button look="danger" onClick={onLeave}>
            {t('desk.leave')}
          </Button>
        </div>
      </div>
    </Sheet>
  )
}

// React focuses by itself and writes no attribute, which is what a dialog looks for as it opens.
const focusFirst = (button: HTMLButtonElement | null) => button?.setAttribute('autofocus', '')
