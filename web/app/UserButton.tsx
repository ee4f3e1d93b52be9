import { lazy, Suspense, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { withTexts } from '#web/i18n/with-texts.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './header.module.css'

const UserMenu = lazy(() =>
  withTexts('account', import('./UserMenu.tsx')).then(
    ({ UserMenu }) => ({ default: UserMenu }),
    () => ({ default: () => <LoadError onRetry={() => location.reload()} /> }),
  ),
)

/** The button that opens the user menu. The menu's code is loaded on the first use. */
export function UserButton() {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={styles.tool}
        popoverTarget="user-menu"
        aria-label={t('site.user')}
        onClick={() => setOpen(true)}
      >
        <Icon name="user" />
      </button>
      <div id="user-menu" popover="auto" className={styles.menu}>
        {open && (
          <Suspense fallback={<p className={styles.entry}>{t('list.loading')}</p>}>
            <UserMenu />
          </Suspense>
        )}
      </div>
    </>
  )
}
