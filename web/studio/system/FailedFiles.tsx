import { useInfiniteQuery } from '@tanstack/react-query'
import { listFailedUploads, type FailedUpload } from '#contract/studio/system.ts'
import { retryEpisode } from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import styles from './system.module.css'

const pollMs = 5000

/** Uploaded files whose conversion failed, with the reason. */
export function FailedFiles() {
  const { t, language } = useTexts()
  const mayRetry = usePermissions()(retryEpisode)
  const files = useInfiniteQuery({
    queryKey: ['failed-files'],
    queryFn: ({ pageParam, signal }) =>
      call(listFailedUploads, { query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Polled, because a file that is retried may fail again.
    refetchInterval: pollMs,
  })
  const columns = [
    { title: t('system.file'), cell: ({ source_name }: FailedUpload) => source_name },
    {
      title: t('system.episode'),
      cell: ({ episode: { video_title, number } }: FailedUpload) => `${video_title} · ${number}`,
    },
    { title: t('system.reason'), cell: ({ reason }: FailedUpload) => reason },
    { title: t('system.failedAt'), cell: ({ failed_at }: FailedUpload) => formatTime(failed_at, language) },
    ...(mayRetry
      ? [{ title: t('system.actions'), actions: true, cell: (file: FailedUpload) => <Retry file={file} /> }]
      : []),
  ]
  return (
    <>
      {files.data ? (
        <Table
          caption={t('system.files')}
          columns={columns}
          rows={files.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t('system.noFiles')}
        />
      ) : (
        files.isPending && <div className={styles.wait} aria-busy="true" />
      )}
      {(files.hasNextPage || files.isError) && <ListFooter pages={files} empty={null} />}
    </>
  )
}

function Retry({ file: { episode, source_name } }: { file: FailedUpload }) {
  const { t } = useTexts()
  const { run, busy } = useCommand(retryEpisode, null)
  const retry = async () => {
    if (await run({ id: episode.id })) notify(t('system.processingAgain', { name: source_name }))
  }
  return (
    <Button variant="quiet" disabled={busy} onClick={() => void retry()}>
      {t('system.retry')}
      <span className="hidden-text">
        {' '}
        {source_name}, {episode.video_title} · {episode.number}
      </span>
    </Button>
  )
}
