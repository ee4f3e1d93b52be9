import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { FeedbackButton } from './FeedbackButton.tsx'
import styles from './shell.module.css'

/** Shown in place of a screen that crashed or failed to load. */
export function Failed() {
  return (
    <section className={styles.message}>
      <CouldNotLoad onRetry={() => location.reload()} />
      <FeedbackButton />
    </section>
  )
}
