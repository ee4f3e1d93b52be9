import { LoadError } from '#web/ui/LoadError.tsx'
import { FeedbackButton } from './FeedbackButton.tsx'
import styles from './shell.module.css'

/** Shown in place of a screen that crashed or failed to load. */
export function ScreenError() {
  return (
    <section className={styles.message}>
      <LoadError onRetry={() => location.reload()} />
      <FeedbackButton />
    </section>
  )
}
