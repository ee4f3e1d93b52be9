import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isRole, roles, type Role } from '#contract/studio/command.ts'
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
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useOperatorSession, useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { AskFirst } from '#web/studio/ui/sheets/AskFirst.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { OneTimeLink, type Invited } from './OneTimeLink.tsx'
import styles from './team.module.css'

/** The team; owners change roles, reset access and remove members. */
export function Operators() {
  const { t, language } = useTexts()
  const mayChange = useMay()(changeOperator)
  const operators = useQuery({
    queryKey: ['operators'],
    queryFn: ({ signal }) => call(listOperators, { signal }),
  })
  if (operators.isLoadingError) return <CouldNotLoad onRetry={() => void operators.refetch()} />
  if (!operators.data) return <div className={styles.wait} aria-busy="true" />
  const columns = [
    { title: t('team.email'), cell: ({ email }: Operator) => email },
    {
      title: t('team.role'),
      cell: (operator: Operator) =>
        mayChange ? <RoleChoice operator={operator} /> : t(`shell.role.${operator.role}`),
    },
    {
      title: t('team.seen'),
      cell: ({ active_since, last_seen_at }: Operator) =>
        active_since ? formatTime(last_seen_at, language) : t('team.invited'),
    },
    ...(mayChange
      ? [
          {
            title: t('team.actions'),
            actions: true,
            cell: (operator: Operator) => <Actions operator={operator} />,
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
      empty={t('team.nobody')}
    />
  )
}

function RoleChoice({ operator: { email, role } }: { operator: Operator }) {
  const { t } = useTexts()
  const { run, busy } = useCommand(changeOperator, null)
  const [requested, setWished] = useState<Role | null>(null)
  const words = (each: Role) => t(`shell.role.${each}`)
  const change = async (to: Role) => {
    if (await run({ email, role: to })) notify(t('team.roleChanged', { email, to: words(to) }))
    setWished(null)
  }
  return (
    <>
      <select
        className={styles.role}
        aria-label={t('team.roleOf', { email })}
        value={role}
        disabled={busy}
        onChange={({ target: { value } }) => isRole(value) && setWished(value)}
      >
        {roles.map((each) => (
          <option key={each} value={each}>
            {words(each)}
          </option>
        ))}
      </select>
      {requested && (
        <AskFirst
          title={t('team.roleTitle')}
          text={`${t('team.roleAsk', { email, from: words(role), to: words(requested) })} ${t(`team.roleText.${requested}`)}`}
          action={t('team.changeRole')}
          busy={busy}
          onDo={() => void change(requested)}
          onClose={() => setWished(null)}
        />
      )}
    </>
  )
}

function Actions({ operator: { email } }: { operator: Operator }) {
  const { t } = useTexts()
  const { operator: me } = useOperatorSession()
  const reset = useCommand(resetOperator, null)
  const remove = useCommand(removeOperator, t('done.operatorRemoved'))
  const [invited, setInvited] = useState<Invited | null>(null)
  const [asked, setAsked] = useState<'reset' | 'remove' | null>(null)
  if (email === me.email) return <span className={styles.quiet}>{t('team.you')}</span>
  const doIt = async () => {
    if (asked === 'remove') await remove.run({ email })
    else setInvited((await reset.run({ email })) ?? null)
    setAsked(null)
  }
  return (
    <div className={styles.actions}>
      <Button look="quiet" onClick={() => setAsked('reset')}>
        {t('team.reset')}
        <span className="hidden-text"> {email}</span>
      </Button>
      <Button look="quiet" onClick={() => setAsked('remove')}>
        {t('team.remove')}
        <span className="hidden-text"> {email}</span>
      </Button>
      {asked && (
        <AskFirst
          title={t(asked === 'remove' ? 'team.removeTitle' : 'team.resetTitle')}
          text={t(asked === 'remove' ? 'team.removeText' : 'team.resetText', { email })}
          action={t(asked === 'remove' ? 'team.remove' : 'team.reset')}
          busy={reset.busy || remove.busy}
          onDo={() => void doIt()}
          onClose={() => setAsked(null)}
        />
      )}
      {invited && <OneTimeLink invited={invited} onClose={() => setInvited(null)} />}
    </div>
  )
}
