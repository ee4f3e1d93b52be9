import type { Say } from '#web/studio/texts.ts'

/** Formats the remaining time. */
export function timeLeft(seconds: number, t: Say): string {
  return seconds < 60
    ? t('content.secondsLeft', { count: seconds })
    : t('content.minutesLeft', { count: Math.ceil(seconds / 60) })
}
