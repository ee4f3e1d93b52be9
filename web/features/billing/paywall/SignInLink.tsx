import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import styles from './sign-in-link.module.css'

/** Links to the sign-in, for users who paid on another device. They return to this page. */
export function SignInLink() {
  const { t } = useTranslation()
  const { data: user } = useQuery(userQuery)
  if (user?.role === 'member') return null
  // Read from `location`, because swipes rewrite the URL without the router.
  const from = location.pathname + location.search
  return (
    <Link to={paths.signIn.to()} state={{ from }} className={styles.link}>
      {t('pay.alreadyPaid')} <span>{t('pay.signIn')}</span>
    </Link>
  )
}
