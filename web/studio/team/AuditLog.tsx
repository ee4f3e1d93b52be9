import { useInfiniteQuery } from '@tanstack/react-query'
import { listAuditEvents, type AuditEvent } from '#contract/studio/operators.ts'
import { call } from '#web/lib/api.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { EmailText } from '#web/studio/ui/EmailText.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { orderBeforeAfter, auditEventText, actorText, commandOf } from './audit-event-copy.ts'
import styles from './team.module.css'

/** The events of the audit log, the latest first. With `subject`, only those of one record. */
export function AuditLog({ subject }: { subject?: string }) {
  const { t, language } = useTexts()
  const events = useInfiniteQuery({
    queryKey: ['audit', subject],
    queryFn: ({ pageParam, signal }) =>
      call(listAuditEvents, {
        query: { ...(pageParam ? { cursor: pageParam } : {}), ...(subject === undefined ? {} : { subject }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    { title: t('team.date'), whole: true, cell: ({ at }: AuditEvent) => formatTime(at, language) },
    {
      title: t('team.user'),
      cell: ({ operator, event }: AuditEvent) => <EmailText text={operator ?? actorText(event, t)} />,
    },
    { title: t('team.action'), cell: (auditEvent: AuditEvent) => <AuditEventName auditEvent={auditEvent} /> },
    {
      title: t('team.details'),
      cell: (auditEvent: AuditEvent) => <AuditEventDetails auditEvent={auditEvent} />,
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
          empty={t('team.noActivity')}
        />
      )}
      <ListFooter pages={events} empty={null} />
    </>
  )
}

/** An audit event as a sentence, with the name of its command on the command line. */
function AuditEventName({ auditEvent }: { auditEvent: AuditEvent }) {
  const { t } = useTexts()
  const command = commandOf(auditEvent.event)
  return (
    <span className={styles.event}>
      {auditEventText(auditEvent, t)}
      {command && <code>{command}</code>}
    </span>
  )
}

function AuditEventDetails({ auditEvent }: { auditEvent: AuditEvent }) {
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
      <pre>{JSON.stringify(orderBeforeAfter(details), null, 2)}</pre>
    </details>
  )
}
