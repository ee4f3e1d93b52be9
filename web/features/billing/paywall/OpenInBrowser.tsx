import { useState } from 'react'
import { copyText, shareUrl } from '#web/features/media/share.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { inAppBrowser, intentLink } from '#web/lib/in-app-browser.ts'
import { storage } from '#web/lib/storage.ts'
import { referrerToken } from '#web/lib/tracking/visit-parameters.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './open-in-browser.module.css'

const dismissedKey = 'in_app_hint'

/**
 * Warns, in an in-app browser, that payments may fail there, and offers ways to open the page in the user's own
 * browser.
 */
export function OpenInBrowser() {
  const { t } = useTranslation()
  const [dismissed, setDismissed] = useState(() => storage.get(dismissedKey) !== null)
  const browser = inAppBrowser(navigator.userAgent)
  if (!browser || dismissed) return null
  const { app, android } = browser
  const address = shareUrl(location.pathname + location.search, referrerToken())
  const dismiss = () => {
    storage.set(dismissedKey, 'dismissed')
    setDismissed(true)
  }
  return (
    <aside className={styles.hint} aria-label={t('pay.openInBrowser')}>
      <p>
        {t('pay.inApp', { app })} {!android && t('pay.inAppMenu')}
      </p>
      <div className={styles.close}>
        <Button variant="icon" aria-label={t('close')} onClick={dismiss}>
          <Icon name="close" size={20} />
        </Button>
      </div>
      <div className={styles.actions}>
        {android && (
          <a className={buttonClass('quiet')} href={intentLink(address)}>
            {t('pay.openInBrowser')}
          </a>
        )}
        <Button variant="quiet" onClick={() => void copyText(address)}>
          {t('video.copy')}
        </Button>
      </div>
    </aside>
  )
}
