import { useInfiniteQuery } from '@tanstack/react-query'
import { listFailedFiles, type FailedFile } from '#contract/studio/system.ts'
import { retryEpisode } from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { ListFoot } from '#web/ui/ListFoot.tsx'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import styles from './system.module.css'

const againMs = 5000

/** Failed uploads, with the reason. */
export function FailedFiles() {
  const { t, language } = useTexts()
  const mayRetry = useMay()(retryEpisode)
  const files = useInfiniteQuery({
    queryKey: ['failed-files'],
    queryFn: ({ pageParam, signal }) =>
      call(listFailedFiles, { query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // A retried file may fail again.
    refetchInterval: againMs,
  })
  const columns = [
    { title: t('system.file'), cell: ({ source_name }: FailedFile) => source_name },
    {
      title: t('system.episode'),
      cell: ({ episode: { video_title, number } }: FailedFile) => `${video_title} · ${number}`,
    },
    { title: t('system.reason'), cell: ({ reason }: FailedFile) => reason },
    { title: t('system.failedAt'), cell: ({ failed_at }: FailedFile) => formatTime(failed_at, language) },
    ...(mayRetry
      ? [{ title: t('system.actions'), actions: true, cell: (file: FailedFile) => <Retry file={file} /> }]
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
      {(files.hasNextPage || files.isError) && <ListFoot pages={files} empty={null} />}
    </>
  )
}

function Retry({ file: { episode, source_name } }: { file: FailedFile }) {
  const { t } = useTexts()
  const { run, busy } = useCommand(retryEpisode, null)
  const again = async () => {
    if (await run({ id: episode.id })) notify(t('system.madeAgain', { name: source_name }))
  }
  return (
    <Button look="quiet" disabled={busy} onClick={() => void again()}>
      {t('system.retry')}
      <span className="hidden-text">
        {' '}
        {source_name}, {episode.video_title} · {episode.number}
      </span>
    </Button>
  )
}
