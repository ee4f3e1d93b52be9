import type { Say } from '#web/studio/texts.ts'

/** How long something still takes, in words. */
export function timeLeft(seconds: number, t: Say): string {
  return seconds < 60
    ? t('content.secondsLeft', { count: seconds })
    : t('content.minutesLeft', { count: Math.ceil(seconds / 60) })
}
