import { useTranslation } from '#web/i18n/use-translation.ts'
import type { PlanBadge } from './choices.ts'
import styles from './badge-label.module.css'

/** Says why a plan is highlighted. */
export function BadgeLabel({ badge }: { badge: PlanBadge }) {
  const { t } = useTranslation()
  return <em className={styles.badge}>{t(badge === 'best' ? 'pay.bestValue' : 'pay.recommended')}</em>
}
