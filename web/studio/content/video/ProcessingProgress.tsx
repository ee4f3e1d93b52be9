import type { StudioEpisode } from '#contract/studio/videos.ts'
import { useTexts } from '#web/studio/texts.ts'
import { formatTimeLeft } from '#web/studio/content/uploads/format-time-left.ts'
import { useSecondsLeft } from './use-seconds-left.ts'
import styles from '#web/studio/content/content.module.css'

const isUnderWay = ({ state }: StudioEpisode) => state === 'queued' || state === 'processing'
/** Progress in percent from which the speed can be estimated. */
const minimumProgress = 50

/** Total processing progress of all episodes, with the remaining time at the speed since the page was opened. */
export function ProcessingProgress({ list, at }: { list: readonly StudioEpisode[]; at: number }) {
  const left = list.filter(isUnderWay)
  return left.length === 0 ? null : <Progress list={list} left={left} at={at} />
}

function Progress({
  list,
  left,
  at,
}: {
  list: readonly StudioEpisode[]
  left: readonly StudioEpisode[]
  /** The time of this state, in milliseconds. */
  at: number
}) {
  const { t } = useTexts()
  const remaining = left.reduce((sum, { progress }) => sum + 100 - progress, 0)
  const ready = list.filter(({ state }) => state === 'ready').length
  const done = 100 * (ready + left.length) - remaining
  const seconds = useSecondsLeft({ done, open: remaining, at }, minimumProgress)
  const words = t('content.making', { made: ready, count: list.length })
  return (
    <p className={styles.overall}>
      <progress className={styles.bar} max={100 * list.length} value={done} aria-label={words} />
      <span>
        {words}
        {seconds !== undefined && ` · ${formatTimeLeft(seconds, t)}`}
      </span>
    </p>
  )
}
