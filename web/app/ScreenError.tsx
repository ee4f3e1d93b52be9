import { LoadError } from '#web/ui/LoadError.tsx'
import { FeedbackButton } from './FeedbackButton.tsx'
import styles from './shell.module.css'

/** Shown instead of a screen that has crashed or failed to load. */
export function ScreenError() {
  return (
    <section className={styles.message}>
      <LoadError onRetry={() => location.reload()} />
      <FeedbackButton />
    </section>
  )
}
