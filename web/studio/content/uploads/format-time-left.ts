import type { Translate } from '#web/studio/texts.ts'

/** Formats the remaining time. */
export function formatTimeLeft(seconds: number, t: Translate): string {
  return seconds < 60
    ? t('content.secondsLeft', { count: seconds })
    : t('content.minutesLeft', { count: Math.ceil(seconds / 60) })
}
