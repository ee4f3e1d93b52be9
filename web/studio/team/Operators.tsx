import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isRole, roles, type Role } from '#contract/studio/roles.ts'
import {
  changeOperator,
  listOperators,
  removeOperator,
  resetOperator,
  type Operator,
} from '#contract/studio/operators.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { useOperatorSession, usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { EmailText } from '#web/studio/ui/EmailText.tsx'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { OneTimeLink, type Invited } from './OneTimeLink.tsx'
import styles from './team.module.css'

/** The operators of the site. Owners can change roles, reset access and remove operators. */
export function Operators() {
  const { t, language } = useTexts()
  const mayChange = usePermissions()(changeOperator)
  const operators = useQuery({
    queryKey: ['operators'],
    queryFn: ({ signal }) => call(listOperators, { signal }),
  })
  if (operators.isLoadingError) return <LoadError onRetry={() => void operators.refetch()} />
  if (!operators.data) return <div className={styles.wait} aria-busy="true" />
  const columns = [
    { title: t('team.email'), cell: ({ email }: Operator) => <EmailText text={email} /> },
    {
      title: t('team.role'),
      cell: (operator: Operator) =>
        mayChange ? <RoleChoice operator={operator} /> : t(`shell.role.${operator.role}`),
    },
    {
      title: t('team.lastActive'),
      cell: ({ active_since, last_seen_at }: Operator) =>
        active_since ? formatTime(last_seen_at, language) : t('team.invited'),
    },
    ...(mayChange
      ? [
          {
            title: t('team.actions'),
            actions: true,
            cell: (operator: Operator) => <OperatorActions operator={operator} />,
          },
        ]
      : []),
  ]
  return (
    <Table
      caption={t('team.title')}
      columns={columns}
      rows={operators.data.list}
      keyOf={({ id }) => id}
      empty={t('team.noMembers')}
    />
  )
}

function RoleChoice({ operator: { email, role } }: { operator: Operator }) {
  const { t } = useTexts()
  const { run, busy } = useCommand(changeOperator, null)
  const [requested, setRequested] = useState<Role | null>(null)
  const roleName = (each: Role) => t(`shell.role.${each}`)
  const change = async (to: Role) => {
    if (await run({ email, role: to })) notify(t('team.roleChanged', { email, to: roleName(to) }))
    setRequested(null)
  }
  return (
    <>
      <select
        className={styles.role}
        aria-label={t('team.roleOf', { email })}
        value={role}
        disabled={busy}
        onChange={({ target: { value } }) => isRole(value) && setRequested(value)}
      >
        {roles.map((each) => (
          <option key={each} value={each}>
            {roleName(each)}
          </option>
        ))}
      </select>
      {requested && (
        <ConfirmSheet
          title={t('team.roleTitle')}
          text={`${t('team.roleChangeText', { email, from: roleName(role), to: roleName(requested) })} ${t(`team.roleText.${requested}`)}`}
          action={t('team.changeRole')}
          busy={busy}
          onConfirm={() => void change(requested)}
          onClose={() => setRequested(null)}
        />
      )}
    </>
  )
}

function OperatorActions({ operator: { email } }: { operator: Operator }) {
  const { t } = useTexts()
  const { operator: me } = useOperatorSession()
  const reset = useCommand(resetOperator, null)
  const remove = useCommand(removeOperator, t('done.operatorRemoved'))
  const [invited, setInvited] = useState<Invited | null>(null)
  const [confirming, setConfirming] = useState<'reset' | 'remove' | null>(null)
  if (email === me.email) return <span className={styles.quiet}>{t('team.you')}</span>
  const confirmAction = async () => {
    if (confirming === 'remove') await remove.run({ email })
    else setInvited((await reset.run({ email })) ?? null)
    setConfirming(null)
  }
  return (
    <div className={styles.actions}>
      <Button variant="quiet" onClick={() => setConfirming('reset')}>
        {t('team.reset')}
        <span className="hidden-text"> {email}</span>
      </Button>
      <Button variant="quiet" onClick={() => setConfirming('remove')}>
        {t('team.remove')}
        <span className="hidden-text"> {email}</span>
      </Button>
      {confirming && (
        <ConfirmSheet
          title={t(confirming === 'remove' ? 'team.removeTitle' : 'team.resetTitle')}
          text={t(confirming === 'remove' ? 'team.removeText' : 'team.resetText', { email })}
          action={t(confirming === 'remove' ? 'team.remove' : 'team.reset')}
          busy={reset.busy || remove.busy}
          onConfirm={() => void confirmAction()}
          onClose={() => setConfirming(null)}
        />
      )}
      {invited && <OneTimeLink invited={invited} onClose={() => setInvited(null)} />}
    </div>
  )
}
