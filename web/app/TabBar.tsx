import { Link, useLocation } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Icon, type IconName } from '#web/ui/Icon.tsx'
import styles from './tab-bar.module.css'

interface Tab {
  to: string
  text: 'site.home' | 'site.search' | 'site.library' | 'site.account'
  icon: IconName
  /** Matches the paths on which this tab is marked as current. */
  screens: RegExp
}

const tabs: Tab[] = [
  { to: paths.home.to(), text: 'site.home', icon: 'home', screens: /^\/($|browse\/|more\/)/ },
  { to: paths.search.to(), text: 'site.search', icon: 'search', screens: /^\/search/ },
  {
    to: paths.history.to(),
    text: 'site.library',
    icon: 'library',
    screens: /^\/(historys|favorites|unlocked)$/,
  },
  {
    to: paths.my.to(),
    text: 'site.account',
    icon: 'user',
    screens: /^\/(my|individual|login|register|retrievePassword|shopping)$/,
  },
]

/** The tab bar at the bottom on phones: Home, Search, Library, Account. It is hidden over the player. */
export function TabBar() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  return (
    <nav className={styles.tabs} aria-label={t('site.tabs')} data-tabs>
      {tabs.map(({ to, text, icon, screens }) => (
        <Link
          key={to}
          to={to}
          className={styles.tab}
          aria-current={screens.test(pathname) ? 'page' : undefined}
        >
          <Icon name={icon} />
          {t(text)}
        </Link>
      ))}
    </nav>
  )
}
