import type { StudioEpisode } from '#contract/studio/videos.ts'
import { useTexts } from '#web/studio/texts.ts'
import { formatTimeLeft } from '#web/studio/content/uploads/format-time-left.ts'
import { useSecondsLeft } from './use-seconds-left.ts'
import styles from '#web/studio/content/content.module.css'

const isUnderWay = ({ state }: StudioEpisode) => state === 'queued' || state === 'processing'
/** The progress, in percent of one episode, that is needed to estimate the speed. */
const minimumProgress = 50

/**
 * The total progress of processing the episodes. Estimates the remaining time from the speed since this component was
 * first shown.
 */
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
  /** When this state was fetched, in milliseconds since 1970. */
  at: number
}) {
  const { t } = useTexts()
  const remaining = left.reduce((sum, { progress }) => sum + 100 - progress, 0)
  const ready = list.filter(({ state }) => state === 'ready').length
  const done = 100 * (ready + left.length) - remaining
  const seconds = useSecondsLeft({ done, open: remaining, at }, minimumProgress)
  const progressText = t('content.episodesProcessed', { made: ready, count: list.length })
  return (
    <p className={styles.overall}>
      <progress className={styles.bar} max={100 * list.length} value={done} aria-label={progressText} />
      <span>
        {progressText}
        {seconds !== undefined && ` · ${formatTimeLeft(seconds, t)}`}
      </span>
    </p>
  )
}
