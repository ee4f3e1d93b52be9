import type { Translate } from '#web/studio/texts.ts'

/** Formats a remaining time in seconds or, from a minute on, in minutes, rounded up. */
export function formatTimeLeft(seconds: number, t: Translate): string {
  return seconds < 60
    ? t('content.secondsLeft', { count: seconds })
    : t('content.minutesLeft', { count: Math.ceil(seconds / 60) })
}
