import { useTexts } from '#web/studio/texts.ts'
import { formatDay } from '#web/studio/format.ts'
import styles from './analytics.module.css'

/** Shows the period of the figures below. */
export function PeriodText({ of: period }: { of: { first_day: string; last_day: string } | undefined }) {
  const { t, language } = useTexts()
  if (!period) return null
  const [from, to] = [formatDay(period.first_day, language), formatDay(period.last_day, language)]
  return <p className={styles.words}>{t('analytics.period', { from, to })}</p>
}
