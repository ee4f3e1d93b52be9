import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { formatShare } from '#web/studio/format.ts'
import { formatBytes } from './format-bytes.ts'
import { UnfinishedUploads } from './UnfinishedUploads.tsx'
import { uploadsQuery } from '#web/studio/content/queries.ts'
import {
  subscribeToUploads,
  secondsLeft,
  secondsLeftOf,
  retryUploads,
  getQueuedUploads,
  stopUploads,
  type QueuedUpload,
} from './upload-queue.ts'
import { formatTimeLeft } from './format-time-left.ts'
import styles from '#web/studio/content/content.module.css'

/**
 * The uploads of this page with progress and remaining time, individually and in total, followed by unfinished and
 * rejected uploads.
 */
export function UploadList({
  videoId,
  onRemoved,
}: {
  videoId: string
  /** Called when unfinished uploads have been removed from the list. */
  onRemoved: () => void
}) {
  const { t } = useTexts()
  const all = useSyncExternalStore(subscribeToUploads, getQueuedUploads).filter(
    (each) => each.videoId === videoId,
  )
  const count = (state: QueuedUpload['state']) => all.filter((each) => each.state === state).length
  const [arrived, stopped, failed] = [count('done'), count('stopped'), count('failed')]
  const open = all.filter(({ state }) => state !== 'done' && state !== 'stopped')
  const client = useQueryClient()
  // Refetches the list: the server may reject a file after its upload, and a stopped file may be partly uploaded.
  useEffect(() => {
    if (arrived + stopped > 0) void client.invalidateQueries({ queryKey: uploadsQuery(videoId).queryKey })
  }, [client, videoId, arrived, stopped])
  return (
    <>
      {all.length > 0 && (
        <div className={styles.sendings}>
          <OverallProgress all={all} />
          {open.length > 0 && (
            <ul>
              {open.map((each) => (
                <li key={each.key}>
                  <UploadRow sending={each} />
                </li>
              ))}
            </ul>
          )}
          {open.length + stopped > 0 && (
            <div className={styles.actions}>
              {failed + stopped > 0 && (
                <Button onClick={() => retryUploads(videoId)}>
                  {t(stopped > 0 ? 'content.resume' : 'content.retryFailed')}
                </Button>
              )}
              {open.length > failed && (
                <Button variant="quiet" onClick={() => stopUploads(videoId)}>
                  {t('content.pause')}
                </Button>
              )}
            </div>
          )}
        </div>
      )}
      <UnfinishedUploads videoId={videoId} queuedUploads={all} onRemoved={onRemoved} />
    </>
  )
}

function OverallProgress({ all }: { all: readonly QueuedUpload[] }) {
  const { t } = useTexts()
  const sum = (of: (each: QueuedUpload) => number) => all.reduce((total, each) => total + of(each), 0)
  const [sent, bytes] = [sum((each) => each.sent), sum((each) => each.bytes)]
  const done = all.filter(({ state }) => state === 'done').length
  const stopped = all.filter(({ state }) => state === 'stopped').length
  const active = all.filter(({ state }) => state === 'sending')
  const hold = active.every((each) => each.pauseReason)
    ? all.find((each) => each.pauseReason)?.pauseReason
    : undefined
  const seconds = active.length > 0 && !hold ? secondsLeft() : undefined
  const progressText = t('content.uploadedFiles', {
    done,
    count: all.length,
    sent: formatBytes(sent),
    bytes: formatBytes(bytes),
  })
  return (
    <p className={styles.overall}>
      <progress className={styles.bar} max={bytes} value={sent} aria-label={progressText} />
      <span>
        {progressText}
        {seconds !== undefined && ` · ${formatTimeLeft(seconds, t)}`}
        {hold && ` · ${t(`content.uploadInterrupted.${hold}`)}`}
        {stopped > 0 && ` · ${t('content.paused', { count: stopped })}`}
        {done === all.length && ` · ${t('content.uploadComplete')}`}
      </span>
    </p>
  )
}

function UploadRow({ sending }: { sending: QueuedUpload }) {
  const { t } = useTexts()
  const { name, bytes, sent, state, pauseReason, message } = sending
  const seconds = state === 'sending' && !pauseReason ? secondsLeftOf(sending) : undefined
  return (
    <p className={styles.overall}>
      <progress className={styles.bar} max={bytes} value={sent} aria-label={name} />
      <span>
        {name}
        {' · '}
        {state === 'failed' ? (
          <span className={styles.bad}>{message || t('content.uploadFailed')}</span>
        ) : (
          // Rounded down, so that 100 % means complete. `Math.max` avoids a division by zero for an empty file.
          formatShare(Math.floor((100 * sent) / Math.max(1, bytes)), 100)
        )}
        {seconds !== undefined && ` · ${formatTimeLeft(seconds, t)}`}
      </span>
    </p>
  )
}
