import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { DataSettings } from './DataSettings.tsx'
import { EmailSetting } from './EmailSetting.tsx'
import { PasswordSetting } from './PasswordSetting.tsx'
import { ProfileSettings } from './ProfileSettings.tsx'
import { userQuery } from '#web/features/members/queries.ts'
import { SecondFactorSetting } from './SecondFactorSetting.tsx'
import { SettingGroup } from './Setting.tsx'
import { SocialSetting } from './SocialSetting.tsx'
import { useSignOut } from '#web/features/members/forms/use-sign-out.ts'
import { VerifyEmail } from './VerifyEmail.tsx'
import styles from '#web/features/members/forms/settings.module.css'

/**
 * The user's public profile and all settings. If opened by the link in a verification mail (`#verify=…`), shows the
 * verification page instead.
 */
export function AccountSettings() {
  const { hash } = useLocation()
  const [deleted, setDeleted] = useState(false)
  const secret = new URLSearchParams(hash.slice(1)).get('verify')
  if (secret) return <VerifyEmail secret={secret} />
  return deleted ? <AccountDeleted /> : <Settings onDeleted={() => setDeleted(true)} />
}

function Settings({ onDeleted }: { onDeleted: () => void }) {
  const { t } = useTranslation()
  const { data: user, dataUpdatedAt, isError, refetch } = useQuery(userQuery)
  // Stored data of the last visit is shown, but it can be edited only after it was refetched.
  const fresh = dataUpdatedAt > 0
  return (
    <section className={styles.page}>
      <title>{t('settings.title')}</title>
      <h1>{t('settings.title')}</h1>
      <ProfileHeader user={user} />
      {!fresh && isError && <LoadError onRetry={() => void refetch()} />}
      {!fresh && !isError && <Skeleton />}
      {fresh && user && (
        // The key resets the forms when the user changes.
        <div key={user.id + user.role} className={styles.groups}>
          <ProfileSettings user={user} />
          {user.role === 'member' && (
            <SettingGroup title={t('settings.security')}>
              <EmailSetting user={user} />
              <PasswordSetting user={user} />
              <SecondFactorSetting user={user} />
              <SocialSetting user={user} />
            </SettingGroup>
          )}
          <DataSettings user={user} onDeleted={onDeleted} />
        </div>
      )}
    </section>
  )
}

/** The user's name and picture, with a button that signs in or out. */
function ProfileHeader({ user }: { user: User | undefined }) {
  const { t } = useTranslation()
  const { signOut, busy } = useSignOut()
  const member = user?.role === 'member'
  const name = user?.display_name ?? user?.email ?? t('settings.guestName')
  return (
    <div className={styles.face}>
      <span className={styles.avatar} aria-hidden="true">
        {user && [...name][0]?.toUpperCase()}
      </span>
      <div className={styles.who}>
        <p className={styles.name}>{user && name}</p>
        <p className={styles.text}>
          {member ? user.display_name && user.email : user && t('settings.guestLead')}
        </p>
      </div>
      <div className={styles.buttons}>
        {member && (
          <Button variant="quiet" onClick={signOut} disabled={busy}>
            {t('menu.signOut')}
          </Button>
        )}
        {user && !member && (
          <>
            <Link className={buttonClass('main')} to={paths.register.to()} state={returnToSettings}>
              {t('menu.register')}
            </Link>
            <Link className={buttonClass('quiet')} to={paths.signIn.to()} state={returnToSettings}>
              {t('menu.signIn')}
            </Link>
          </>
        )}
      </div>
    </div>
  )
}

const returnToSettings = { from: paths.individual.to() }

function Skeleton() {
  const { t } = useTranslation()
  return (
    <div className={styles.groups} role="status" aria-label={t('list.loading')}>
      {[280, 340, 200].map((height) => (
        <div key={height} className={styles.skeleton} style={{ height }} />
      ))}
    </div>
  )
}

function AccountDeleted() {
  const { t } = useTranslation()
  return (
    <AccountPage title={t('data.deletedTitle')} lead={t('data.deletedText')}>
      <Link className={buttonClass('main', true)} to={paths.home.to()}>
        {t('notFound.goHome')}
      </Link>
    </AccountPage>
  )
}
