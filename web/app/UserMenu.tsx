import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import '#web/i18n/account.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { useSignOut } from '#web/features/members/forms/use-sign-out.ts'
import { paths } from '#web/lib/paths.ts'
import styles from './header.module.css'

const close = () => document.getElementById('user-menu')?.hidePopover()

/** The menu with the pages of the user, who may be a guest or a member. */
export function UserMenu() {
  const { t } = useTranslation()
  const { data: user } = useQuery(userQuery)
  const { signOut, busy } = useSignOut()
  const member = user?.role === 'member'
  const entry = (to: string, label: string) => (
    <Link to={to} className={styles.entry}>
      {label}
    </Link>
  )
  return (
    <nav aria-label={t('site.user')} onClick={close}>
      <p className={styles.note}>
        {member ? t('menu.welcome', { name: user.display_name ?? user.email ?? '' }) : t('menu.guest')}
      </p>
      {!member && entry(paths.signIn.to(), t('menu.signIn'))}
      {!member && entry(paths.register.to(), t('menu.register'))}
      {entry(paths.my.to(), t('menu.my'))}
      {entry(paths.individual.to(), t('menu.profile'))}
      {entry(paths.favorites.to(), t('menu.favorites'))}
      {entry(paths.history.to(), t('menu.history'))}
      {entry(paths.unlocked.to(), t('menu.unlocked'))}
      {member && (
        <button type="button" className={styles.entry} onClick={signOut} disabled={busy}>
          {t('menu.signOut')}
        </button>
      )}
    </nav>
  )
}
