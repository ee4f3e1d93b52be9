import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type User } from '#contract/members.ts'
import { unlinkSocial, type Identity } from '#contract/social.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import type { Credentials } from '#web/features/members/forms/reauthentication.ts'
import { ReauthenticateForm } from '#web/features/members/forms/ReauthenticateForm.tsx'
import { socialProvidersQuery } from '#web/features/members/sign-in/social-query.ts'
import styles from './linked-accounts.module.css'

/** The linked social accounts. Each can be unlinked after a reauthentication. */
export function LinkedAccounts({ user }: { user: User }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const { data } = useQuery(socialProvidersQuery)
  const list = useRef<HTMLUListElement>(null)
  const unlink = async ({ id, name }: Identity, credentials: Partial<Credentials>) => {
    const { linked } = await call(unlinkSocial, { body: { id, ...credentials } })
    queryClient.setQueryData(socialProvidersQuery.queryKey, (known) => known && { ...known, linked })
    notify(t('link.unlinked', { name }))
    // Moves the focus to the list, because the submitted form has been removed.
    list.current?.focus()
  }
  if (!data) return null
  return (
    <ul ref={list} tabIndex={-1} className={styles.accounts} aria-label={t('link.linkedAccounts')}>
      {data.linked.map((identity) => (
        <Account key={identity.id} user={user} identity={identity} unlink={unlink} />
      ))}
      {data.linked.length === 0 && <li className={styles.none}>{t('link.none')}</li>}
    </ul>
  )
}

interface AccountProps {
  user: User
  identity: Identity
  unlink: (identity: Identity, credentials: Partial<Credentials>) => Promise<void>
}

function Account({ user, identity, unlink }: AccountProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const { name, account_name, linked_at } = identity
  // Includes the account's own name, to tell two accounts of the same provider apart.
  const fullName = account_name === null ? name : `${name} (${account_name})`
  return (
    <li className={styles.account}>
      <p className={styles.name}>{name}</p>
      {account_name !== null && <p className={styles.known}>{account_name}</p>}
      <p className={styles.since}>{t('link.since', { date: formatLongDate(linked_at) })}</p>
      <Button
        variant="quiet"
        aria-label={open ? undefined : t('link.unlinkOne', { name: fullName })}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {open ? t('settings.close') : t('link.unlink')}
      </Button>
      {open && (
        <div className={styles.form}>
          <ReauthenticateForm
            user={user}
            text={t('link.unlinkText', { name: fullName })}
            action={t('link.unlinkNow')}
            send={(credentials) => unlink(identity, credentials)}
          />
        </div>
      )}
    </li>
  )
}
