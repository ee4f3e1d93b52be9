import { useTexts } from '#web/studio/texts.ts'
import { formatDay } from '#web/studio/format.ts'
import styles from './growth.module.css'

/** The period of the figures below. */
export function Period({ of }: { of: { first_day: string; last_day: string } | undefined }) {
  const { t, language } = useTexts()
  if (!of) return null
  const [from, to] = [formatDay(of.first_day, language), formatDay(of.last_day, language)]
  return <p className={styles.words}>{t('growth.period', { from, to })}</p>
}
