import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { FeedbackButton } from './FeedbackButton.tsx'
import styles from './shell.module.css'

/** In the place of a screen that broke or could not be fetched. */
export function Failed() {
  return (
    <section className={styles.message}>
      <CouldNotLoad onRetry={() => location.reload()} />
      <FeedbackButton />
    </section>
  )
}
