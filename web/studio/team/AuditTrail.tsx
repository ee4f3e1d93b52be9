import { useInfiniteQuery } from '@tanstack/react-query'
import { listAudit, type AuditEvent } from '#contract/studio/operators.ts'
import { call } from '#web/lib/api.ts'
import { ListFoot } from '#web/ui/ListFoot.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { timeWords } from '#web/studio/words.ts'
import { beforeFirst, deedWords, whoElse, wordsOf } from './deed-words.ts'
import styles from './team.module.css'

/** What operators did, the latest first; of one subject everything that happened to it. */
export function AuditTrail({ subject }: { subject?: string }) {
  const { t, language } = useTexts()
  const deeds = useInfiniteQuery({
    queryKey: ['audit', subject],
    queryFn: ({ pageParam, signal }) =>
      call(listAudit, {
        query: { ...(pageParam ? { cursor: pageParam } : {}), ...(subject === undefined ? {} : { subject }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    { title: t('team.when'), whole: true, cell: ({ at }: AuditEvent) => timeWords(at, language) },
    {
      title: t('team.who'),
      cell: ({ operator, event }: AuditEvent) => operator ?? whoElse(event, t),
    },
    { title: t('team.what'), cell: (deed: AuditEvent) => <What deed={deed} /> },
    {
      title: t('team.details'),
      cell: (deed: AuditEvent) => <Details deed={deed} />,
    },
  ]
  return (
    <>
      {deeds.data && (
        <Table
          caption={t('team.audit')}
          columns={columns}
          rows={deeds.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t('team.nothingDone')}
        />
      )}
      <ListFoot pages={deeds} empty={null} />
    </>
  )
}

/** What was done in a sentence, and small, by which command of the command line. */
function What({ deed }: { deed: AuditEvent }) {
  const { t } = useTexts()
  const words = wordsOf(deed.event)
  return (
    <span className={styles.deed}>
      {deedWords(deed, t)}
      {words && <code>{words}</code>}
    </span>
  )
}

function Details({ deed }: { deed: AuditEvent }) {
  const { subject, at, details } = deed
  const { t, language } = useTexts()
  if (Object.keys(details ?? {}).length === 0) return subject ?? '–'
  return (
    <details className={styles.details}>
      <summary>
        {subject ?? t('team.show')}
        <span className="hidden-text">
          {' '}
          {deedWords(deed, t)}, {timeWords(at, language)}
        </span>
      </summary>
      <pre>{JSON.stringify(beforeFirst(details), null, 2)}</pre>
    </details>
  )
}
