import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link, NavLink } from 'react-router'
import { languageFromTag } from '#contract/languages.ts'
import { changeLanguage } from '#web/i18n/index.ts'
import { languageNames, offeredLanguages } from '#web/lib/language.ts'
import { paths } from '#web/lib/paths.ts'
import { settings } from '#web/lib/settings.ts'
import { Icon } from '#web/ui/Icon.tsx'
import { UserButton } from './UserButton.tsx'
import styles from './header.module.css'

interface HeaderProps {
  menu: { id: string; name: string }[]
  /** The id of the section that the operator has put first. */
  recommended: string | undefined
}

interface Entry {
  to: string
  name: string
}

export function Header({ menu, recommended }: HeaderProps) {
  const { t } = useTranslation()
  const entries: Entry[] = menu.map(({ id, name }) => ({ to: paths.browse.to(id), name }))
  if (recommended) entries.unshift({ to: paths.more.to(recommended), name: t('site.recommend') })
  return (
    <header className={styles.header}>
      <Link to={paths.home.to()} className={styles.logo} aria-label={`${settings.site}: ${t('site.home')}`}>
        <img src={settings.logo} alt="" width="28" height="28" />
        <span>{settings.site}</span>
      </Link>
      <nav className={styles.wide} aria-label={t('site.categories')}>
        {entries.slice(0, 6).map(({ to, name }) => (
          <NavLink key={to} to={to} className={styles.link}>
            {name}
          </NavLink>
        ))}
      </nav>
      <span className={styles.gap} />
      <Link to={paths.shopping.to()} className={`${styles.link} ${styles.plans}`}>
        {t('site.plans')}
      </Link>
      <Link
        to={paths.search.to()}
        className={`${styles.tool} ${styles.search}`}
        aria-label={t('site.search')}
      >
        <Icon name="search" />
      </Link>
      <LanguageChooser />
      <UserButton />
      <BrowseMenu entries={[...entries, { to: paths.shopping.to(), name: t('site.plans') }]} />
    </header>
  )
}

function BrowseMenu({ entries }: { entries: Entry[] }) {
  const { t } = useTranslation()
  return (
    <>
      <button type="button" className={styles.tool} popoverTarget="categories" aria-label={t('site.browse')}>
        <Icon name="list" />
      </button>
      <div id="categories" popover="auto" className={styles.menu}>
        <nav aria-label={t('site.browse')} onClick={closeMenu}>
          {entries.map(({ to, name }) => (
            <Link key={to} to={to} className={styles.entry}>
              {name}
            </Link>
          ))}
        </nav>
      </div>
    </>
  )
}

const closeMenu = () => document.getElementById('categories')?.hidePopover()

function LanguageChooser() {
  const { t, i18n } = useTranslation()
  const queryClient = useQueryClient()
  const choose = (value: string) => {
    const language = languageFromTag(value) ?? 'en'
    void changeLanguage(language)
    // The screens have already changed. In the background, the language is also stored on the server, for mails.
    import('#web/features/members/settings/save-language.ts')
      .then(({ saveLanguage }) => saveLanguage(queryClient, language))
      .catch(() => {})
  }
  return (
    <label className={styles.tool}>
      <Icon name="globe" />
      <select
        aria-label={t('site.language')}
        value={i18n.language}
        onChange={(event) => choose(event.target.value)}
      >
        {offeredLanguages.map((language) => (
          <option key={language} value={language}>
            {languageNames[language]}
          </option>
        ))}
      </select>
    </label>
  )
}
