import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { uploadBatchLimits } from '#contract/studio/upload-batch-limits.ts'
import { partBytes, removeUploads, type Upload } from '#contract/studio/uploads.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { episodesQuery, uploadsQuery } from '#web/studio/content/queries.ts'
import { isStoppedHere, findUnfinishedUploads } from './find-unfinished-uploads.ts'
import { rangesOf } from './assign-episodes.ts'
import { removeStopped, type QueuedUpload } from './upload-queue.ts'
import styles from '#web/studio/content/content.module.css'

/**
 * Uploads that the server knows but this page is not sending. They were started before a reload or elsewhere, were
 * stopped, or were rejected.
 */
export function UnfinishedUploads({
  videoId,
  queuedUploads,
  onRemoved,
}: {
  videoId: string
  /** The uploads of this page for the same video. */
  queuedUploads: readonly QueuedUpload[]
  /** Called when files have been removed from the list. The pressed button is removed too, so the focus must move. */
  onRemoved: () => void
}) {
  const { t } = useTexts()
  const uploads = useQuery(uploadsQuery(videoId))
  useRefetchEpisodes(videoId, uploads.data?.list)
  const unfinished = findUnfinishedUploads(uploads.data?.list ?? [], queuedUploads)
  if (unfinished.length === 0) return null
  const uploading = unfinished.filter(({ state }) => state === 'uploading')
  const rejected = unfinished.filter(({ state }) => state === 'rejected')
  // After an interrupted upload of a season, most files have not started. One line summarizes these files.
  const isLong = uploading.length > shortList
  const notStarted = isLong ? uploading.filter(({ parts }) => parts.length === 0) : []
  const rowProps = { videoId, onRemoved }
  const otherUploads = unfinished.filter(({ state }) => state !== 'uploading')
  const started = uploading.filter((upload) => !notStarted.includes(upload))
  return (
    <div className={styles.sendings}>
      <UnfinishedList uploads={otherUploads} {...rowProps} />
      {uploading.some((upload) => !isStoppedHere(upload, queuedUploads)) && (
        <p>{t('content.incompleteUploads')}</p>
      )}
      {notStarted.length > 0 && (
        <p>
          {t('content.missingFiles', {
            count: notStarted.length,
            numbers: rangesOf(notStarted.map(({ number }) => number)),
          })}
        </p>
      )}
      <UnfinishedList uploads={started} {...rowProps} />
      <div className={styles.actions}>
        {uploading.length > 1 && <DiscardUploads uploads={uploading} {...rowProps} />}
        {rejected.length > 1 && <DiscardUploads uploads={rejected} {...rowProps} />}
      </div>
    </div>
  )
}

function UnfinishedList({ uploads, ...rowProps }: { uploads: readonly Upload[] } & RowProps) {
  const { t } = useTexts()
  if (uploads.length === 0) return null
  return (
    <ul>
      {uploads.map((upload) => (
        <li key={upload.id} className={styles.left}>
          <span className={upload.state === 'rejected' ? styles.bad : undefined}>
            {upload.name} {uploadStatusText(upload, t)}
          </span>
          {upload.state !== 'complete' && <DiscardUploads uploads={[upload]} {...rowProps} />}
        </li>
      ))}
    </ul>
  )
}

/** Refetches the episodes when a file disappears from the list, because it may now belong to an episode. */
function useRefetchEpisodes(videoId: string, list: readonly Upload[] | undefined): void {
  const client = useQueryClient()
  const known = useRef<number>(undefined)
  const now = list?.length
  useEffect(() => {
    if (known.current !== undefined && now !== undefined && now < known.current)
      void client.invalidateQueries({ queryKey: episodesQuery(videoId, false).queryKey })
    known.current = now
  }, [client, videoId, now])
}

/** Up to this many files are shown individually. */
const shortList = 8

interface RowProps {
  videoId: string
  onRemoved: () => void
}

/**
 * Removes uploads that are all in the same state. Removing several unfinished uploads needs a confirmation, because
 * their uploaded parts are lost.
 */
function DiscardUploads({ videoId, uploads, onRemoved }: { uploads: readonly Upload[] } & RowProps) {
  const { t } = useTexts()
  const remove = useCommand(removeUploads, null)
  const [isConfirming, setConfirming] = useState(false)
  const [first] = uploads
  const isRejected = first?.state === 'rejected'
  const count = uploads.length
  const one = { name: first?.name ?? '' }
  const run = async () => {
    const ids = uploads.map(({ id }) => id)
    const usedFiles: string[] = []
    for (let from = 0; from < ids.length; from += uploadBatchLimits.files) {
      const some = ids.slice(from, from + uploadBatchLimits.files)
      const removed = await remove.run({ video_id: videoId, ids: some })
      // `remove.run` has shown the reason. Another click can remove the remaining files.
      if (!removed) return
      usedFiles.push(...removed.not_removed)
    }
    removeStopped(videoId, uploads)
    if (usedFiles.length > 0)
      notify(t('content.completedFiles', { count: usedFiles.length, names: firstNames(usedFiles) }))
    // Closed synchronously, because elements behind an open dialog cannot be focused.
    flushSync(() => setConfirming(false))
    onRemoved()
  }
  return (
    <>
      <Button
        variant="quiet"
        disabled={remove.busy}
        aria-label={
          count > 1 ? undefined : t(isRejected ? 'content.dismissFile' : 'content.discardFile', one)
        }
        onClick={() => (count > 1 && !isRejected ? setConfirming(true) : void run())}
      >
        {count > 1
          ? t(isRejected ? 'content.dismissAll' : 'content.discardAll', { count })
          : t(isRejected ? 'content.dismiss' : 'content.discard')}
      </Button>
      {isConfirming && (
        <ConfirmSheet
          title={t('content.discardTitle', { count })}
          text={t('content.discardText')}
          action={t('content.discardAll', { count })}
          busy={remove.busy}
          onConfirm={() => void run()}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  )
}

const firstNames = (names: readonly string[]) => names.slice(0, 3).join(', ') + (names.length > 3 ? ' …' : '')

function uploadStatusText({ state, reason, parts, bytes }: Upload, t: Translate): string {
  if (state === 'rejected') return reason ?? ''
  if (state === 'complete') return `· ${t('content.uploadChecking')}`
  const percent = Math.floor(100 * Math.min(1, (parts.length * partBytes) / Math.max(1, bytes)))
  return `· ${t('content.percentUploaded', { percent })}`
}
