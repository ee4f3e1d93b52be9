import { reservePaywallSpace } from '#web/ui/toast.ts'
import styles from './auto-unlock.module.css'

/**
 * Moves a paywall below the one-line notices of auto-unlock while they are shown. To be used as the `ref` of a notice.
 */
export const reserveLineSpace = (line: HTMLElement | null) =>
  line ? reservePaywallSpace(line.closest<HTMLElement>(`.${styles.lines}`) ?? line, '--lines') : undefined
