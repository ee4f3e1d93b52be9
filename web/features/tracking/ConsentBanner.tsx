import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from '#web/ui/Button.tsx'
import styles from './consent-banner.module.css'

interface ConsentBannerProps {
  onChoose: (agreed: boolean) => void
  onDetails: () => void
}

/** The consent question on a narrow bar. Pages reserve space for it at the bottom, so that it covers nothing. */
export function ConsentBanner({ onChoose, onDetails }: ConsentBannerProps) {
  const { t } = useTranslation()
  return (
    <section className={styles.bar} aria-label={t('privacy.title')}>
      <p>
        {t('privacy.question')}{' '}
        <button type="button" className={styles.details} onClick={onDetails}>
          {t('privacy.details')}
        </button>
      </p>
      <div className={styles.answers}>
        <Button variant="quiet" onClick={() => onChoose(false)}>
          {t('privacy.decline')}
        </Button>
        <Button variant="quiet" onClick={() => onChoose(true)}>
          {t('privacy.accept')}
        </Button>
      </div>
    </section>
  )
}
