import { useEffect, useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { saveRecord } from '#web/lib/storage.ts'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './swipe-hint.module.css'

const shownMs = 4_000

/**
 * Shows a hint once per browser: swiping up opens the next episode. Taps pass through it. It is hidden from screen
 * readers, whose users have the next-episode button.
 */
export function SwipeHint() {
  const { t } = useTranslation()
  const [shown, setShown] = useState(true)
  useEffect(() => {
    saveRecord('swipe-hint', true)
    const timer = setTimeout(() => setShown(false), shownMs)
    return () => clearTimeout(timer)
  }, [])
  if (!shown) return null
  return (
    <p className={styles.hint} aria-hidden="true">
      <Icon name="forward" />
      {t('player.swipe')}
    </p>
  )
}
