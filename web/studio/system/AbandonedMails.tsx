import { useInfiniteQuery } from '@tanstack/react-query'
import { listAbandonedMails, retryMail, type AbandonedMail } from '#contract/studio/system.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import styles from './system.module.css'

/** Abandoned e-mails, with the reason. */
export function AbandonedMails() {
  const { t, language } = useTexts()
  const mails = useInfiniteQuery({
    queryKey: ['abandoned-mails', language],
    queryFn: ({ pageParam, signal }) =>
      call(listAbandonedMails, { query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    { title: t('system.mail'), cell: ({ subject }: AbandonedMail) => subject },
    { title: t('system.recipient'), cell: ({ recipient }: AbandonedMail) => recipient },
    { title: t('system.reason'), cell: (mail: AbandonedMail) => <FailureReason mail={mail} /> },
    {
      title: t('system.failedAt'),
      cell: ({ abandoned_at }: AbandonedMail) => formatTime(abandoned_at, language),
    },
    { title: t('system.actions'), actions: true, cell: (mail: AbandonedMail) => <SendAgain mail={mail} /> },
  ]
  const rows = mails.data?.pages.flatMap(({ list }) => list)
  return (
    <>
      {rows ? (
        <>
          {rows.length > 0 && <p className={styles.quiet}>{t('system.mailsHint')}</p>}
          <Table
            caption={t('system.mails')}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={t('system.noMails')}
          />
        </>
      ) : (
        mails.isPending && <div className={styles.wait} aria-busy="true" />
      )}
      {(mails.hasNextPage || mails.isError) && <ListFooter pages={mails} empty={null} />}
    </>
  )
}

function FailureReason({ mail: { refused, reason, attempts } }: { mail: AbandonedMail }) {
  const { t } = useTexts()
  return (
    <div className={styles.failure}>
      {t(refused ? 'system.mailRefused' : 'system.mailNotAccepted', { count: attempts })}
      {reason && <code>{reason}</code>}
    </div>
  )
}

function SendAgain({ mail: { id, subject, recipient } }: { mail: AbandonedMail }) {
  const { t } = useTexts()
  const { run, busy } = useCommand(retryMail, null)
  const send = async () => {
    if (await run({ id })) notify(t('system.mailSentAgain'))
  }
  return (
    <Button variant="quiet" disabled={busy} onClick={() => void send()}>
      {t('system.resend')}
      <span className="hidden-text">
        {' '}
        {subject}, {recipient}
      </span>
    </Button>
  )
}
