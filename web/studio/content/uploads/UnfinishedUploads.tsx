import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { planLimits } from '#contract/studio/plan-limits.ts'
import { partBytes, removeUploads, type Upload } from '#contract/studio/uploads.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts, type Say } from '#web/studio/texts.ts'
import { AskFirst } from '#web/studio/ui/sheets/AskFirst.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { episodesQuery, uploadsQuery } from '#web/studio/content/queries.ts'
import { isAtHand, unfinishedOf } from './unfinished-uploads.ts'
import { rangesOf } from './arrange-season.ts'
import { forget, type Sending } from './upload-queue.ts'
import styles from '#web/studio/content/content.module.css'

/** Uploads that the server knows but this page does not send: started before a reload or elsewhere, stopped, or rejected. */
export function UnfinishedUploads({
  videoId,
  sendings,
  onRemoved,
}: {
  videoId: string
  /** This page's uploads of the same video. */
  sendings: readonly Sending[]
  /** Called once files are off the list, and with them the pressed button. */
  onRemoved: () => void
}) {
  const { t } = useTexts()
  const uploads = useQuery(uploadsQuery(videoId))
  useEpisodesAnew(videoId, uploads.data?.list)
  const left = unfinishedOf(uploads.data?.list ?? [], sendings)
  if (left.length === 0) return null
  const arriving = left.filter(({ state }) => state === 'arriving')
  const refused = left.filter(({ state }) => state === 'refused')
  // Most files of an interrupted season have not started; one line shows them all.
  const isLong = arriving.length > shortList
  const toCome = isLong ? arriving.filter(({ parts }) => parts.length === 0) : []
  const given = { videoId, onRemoved }
  const looked = left.filter(({ state }) => state !== 'arriving')
  const begun = arriving.filter((upload) => !toCome.includes(upload))
  return (
    <div className={styles.sendings}>
      <LeftList uploads={looked} {...given} />
      {arriving.some((upload) => !isAtHand(upload, sendings)) && <p>{t('content.goOn')}</p>}
      {toCome.length > 0 && (
        <p>
          {t('content.toCome', {
            count: toCome.length,
            numbers: rangesOf(toCome.map(({ number }) => number)),
          })}
        </p>
      )}
      <LeftList uploads={begun} {...given} />
      <div className={styles.actions}>
        {arriving.length > 1 && <GiveUp uploads={arriving} {...given} />}
        {refused.length > 1 && <GiveUp uploads={refused} {...given} />}
      </div>
    </div>
  )
}

function LeftList({ uploads, ...given }: { uploads: readonly Upload[] } & Given) {
  const { t } = useTexts()
  if (uploads.length === 0) return null
  return (
    <ul>
      {uploads.map((upload) => (
        <li key={upload.id} className={styles.left}>
          <span className={upload.state === 'refused' ? styles.bad : undefined}>
            {upload.name} {wordsOf(upload, t)}
          </span>
          {upload.state !== 'complete' && <GiveUp uploads={[upload]} {...given} />}
        </li>
      ))}
    </ul>
  )
}

/** Refetches the episodes when a file leaves the list, because it has become an episode or part of one. */
function useEpisodesAnew(videoId: string, list: readonly Upload[] | undefined): void {
  const client = useQueryClient()
  const known = useRef<number>(undefined)
  const now = list?.length
  useEffect(() => {
    if (known.current !== undefined && now !== undefined && now < known.current)
      void client.invalidateQueries({ queryKey: episodesQuery(videoId, false).queryKey })
    known.current = now
  }, [client, videoId, now])
}

/** Number of files shown one by one. */
const shortList = 8

interface Given {
  videoId: string
  onRemoved: () => void
}

/** Removes files of one kind from the list. Partly uploaded data is lost, so several files need a confirmation. */
function GiveUp({ videoId, uploads, onRemoved }: { uploads: readonly Upload[] } & Given) {
  const { t } = useTexts()
  const remove = useCommand(removeUploads, null)
  const [asks, setAsks] = useState(false)
  const [first] = uploads
  const isRefused = first?.state === 'refused'
  const count = uploads.length
  const one = { name: first?.name ?? '' }
  const run = async () => {
    const ids = uploads.map(({ id }) => id)
    const kept: string[] = []
    for (let from = 0; from < ids.length; from += planLimits.files) {
      const some = ids.slice(from, from + planLimits.files)
      const gone = await remove.run({ video_id: videoId, ids: some })
      // The reason has been shown; the rest can be removed with another click.
      if (!gone) return
      kept.push(...gone.kept)
    }
    forget(videoId, uploads)
    if (kept.length > 0) notify(t('content.keptFiles', { count: kept.length, names: firstOf(kept) }))
    // Elements below an open dialog cannot be focused.
    flushSync(() => setAsks(false))
    onRemoved()
  }
  return (
    <>
      <Button
        look="quiet"
        disabled={remove.busy}
        aria-label={count > 1 ? undefined : t(isRefused ? 'content.offListFile' : 'content.giveUpFile', one)}
        onClick={() => (count > 1 && !isRefused ? setAsks(true) : void run())}
      >
        {count > 1
          ? t(isRefused ? 'content.offListAll' : 'content.giveUpAll', { count })
          : t(isRefused ? 'content.offList' : 'content.giveUp')}
      </Button>
      {asks && (
        <AskFirst
          title={t('content.giveUpTitle', { count })}
          text={t('content.giveUpText')}
          action={t('content.giveUpAll', { count })}
          busy={remove.busy}
          onDo={() => void run()}
          onClose={() => setAsks(false)}
        />
      )}
    </>
  )
}

const firstOf = (names: readonly string[]) => names.slice(0, 3).join(', ') + (names.length > 3 ? ' …' : '')

function wordsOf({ state, reason, parts, bytes }: Upload, t: Say): string {
  if (state === 'refused') return reason ?? ''
  if (state === 'complete') return `· ${t('content.isTaken')}`
  const percent = Math.floor(100 * Math.min(1, (parts.length * partBytes) / Math.max(1, bytes)))
  return `· ${t('content.arrived', { percent })}`
}
