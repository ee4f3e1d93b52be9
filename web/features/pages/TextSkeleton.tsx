import { useTranslation } from '#web/i18n/use-translation.ts'
import styles from './text-page.module.css'

/** As tall as a screen at least, so that nothing below a text moves when it comes. */
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
