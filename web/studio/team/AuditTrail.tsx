import { useInfiniteQuery } from '@tanstack/react-query'
import { listAudit, type AuditEvent } from '#contract/studio/operators.ts'
import { call } from '#web/lib/api.ts'
import { ListFoot } from '#web/ui/ListFoot.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { beforeFirst, auditEventText, whoElse, wordsOf } from './audit-event-copy.ts'
import styles from './team.module.css'

/** The audit events, the latest first; with `subject` only those of one record. */
export function AuditTrail({ subject }: { subject?: string }) {
  const { t, language } = useTexts()
  const events = useInfiniteQuery({
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
    { title: t('team.when'), whole: true, cell: ({ at }: AuditEvent) => formatTime(at, language) },
    {
      title: t('team.who'),
      cell: ({ operator, event }: AuditEvent) => operator ?? whoElse(event, t),
    },
    { title: t('team.what'), cell: (auditEvent: AuditEvent) => <What auditEvent={auditEvent} /> },
    {
      title: t('team.details'),
      cell: (auditEvent: AuditEvent) => <Details auditEvent={auditEvent} />,
    },
  ]
  return (
    <>
      {events.data && (
        <Table
          caption={t('team.audit')}
          columns={columns}
          rows={events.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t('team.nothingDone')}
        />
      )}
      <ListFoot pages={events} empty={null} />
    </>
  )
}

/** An audit event in a sentence, with the command of the command line. */
function What({ auditEvent }: { auditEvent: AuditEvent }) {
  const { t } = useTexts()
  const words = wordsOf(auditEvent.event)
  return (
    <span className={styles.event}>
      {auditEventText(auditEvent, t)}
      {words && <code>{words}</code>}
    </span>
  )
}

function Details({ auditEvent }: { auditEvent: AuditEvent }) {
  const { subject, at, details } = auditEvent
  const { t, language } = useTexts()
  if (Object.keys(details ?? {}).length === 0) return subject ?? '–'
  return (
    <details className={styles.details}>
      <summary>
        {subject ?? t('team.show')}
        <span className="hidden-text">
          {' '}
          {auditEventText(auditEvent, t)}, {formatTime(at, language)}
        </span>
      </summary>
      <pre>{JSON.stringify(beforeFirst(details), null, 2)}</pre>
    </details>
  )
}
