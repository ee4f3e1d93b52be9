import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { endSessions, type Session } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { sessionsQuery } from './sessions-query.ts'
import styles from './sessions.module.css'

/** The member's active sessions. Other devices can be signed out individually or all at once. */
export function Sessions() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(sessionsQuery)
  const [busy, setBusy] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  const endSession = async (body: { id?: string }) => {
    setBusy(true)
    try {
      const { removed } = await call(endSessions, { body })
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      notify(t('my.sessionsEnded', { count: removed }))
      // Moves the focus to the list, because the pressed button may have been removed.
      list.current?.focus()
    } catch {
      // The toast has shown the error.
    } finally {
      setBusy(false)
    }
  }
  if (!data) return isError ? <LoadError onRetry={() => void refetch()} /> : <Skeleton />
  const others = data.list.filter(({ current }) => !current)
  return (
    <>
      <ul ref={list} tabIndex={-1} className={styles.sessions} aria-label={t('my.devices')}>
        {data.list.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            busy={busy}
            onEnd={() => void endSession({ id: session.id })}
          />
        ))}
      </ul>
      {others.length > 1 && (
        <Button variant="quiet" onClick={() => void endSession({})} disabled={busy}>
          {t('my.endOtherSessions')}
        </Button>
      )}
    </>
  )
}

function SessionRow({ session, busy, onEnd }: { session: Session; busy: boolean; onEnd: () => void }) {
  const { t } = useTranslation()
  const device = session.device || t('my.unknownDevice')
  return (
    <li className={styles.session}>
      <p className={styles.device}>{device}</p>
      <p className={styles.seen}>
        {t('my.lastActive', {
          seen: formatLongDate(session.last_seen_at),
          since: formatLongDate(session.created_at),
        })}
      </p>
      {session.current ? (
        <p className={styles.current}>{t('my.thisDevice')}</p>
      ) : (
        <Button variant="quiet" onClick={onEnd} disabled={busy} aria-label={t('my.endSessionOf', { device })}>
          {t('my.endSession')}
        </Button>
      )}
    </li>
  )
}

function Skeleton() {
  const { t } = useTranslation()
  return <div className={styles.skeleton} role="status" aria-label={t('list.loading')} />
}
