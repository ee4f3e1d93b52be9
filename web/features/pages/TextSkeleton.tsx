import { useTranslation } from '#web/i18n/use-translation.ts'
import styles from './text-page.module.css'

/** A placeholder that is at least as tall as the screen, so that nothing visible moves when the text has loaded. */
export function TextSkeleton({ heading }: { heading?: boolean }) {
  const { t } = useTranslation()
  return (
    <div
      role="status"
      aria-label={t('list.loading')}
      className={heading ? `${styles.page} ${styles.skeleton}` : styles.skeleton}
    >
      {heading && <span className={styles.bar} />}
      {Array.from({ length: 12 }, (_, i) => (
        <span key={i} className={styles.line} />
      ))}
    </div>
  )
}
