import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './consent-banner.module.css'

interface ConsentBannerProps {
  answer: boolean | null
  /** The person has opened it: it takes the focus, says what was chosen, and can be left without an answer. */
  asked: boolean
  platforms: string[]
  onChoose: (agreed: boolean) => void
  onClose: () => void
}

/** Lies over the foot of the page and moves nothing. Yes and no are the same to the eye and the same way off. */
export function ConsentBanner({ answer, asked, platforms, onChoose, onClose }: ConsentBannerProps) {
  const { t } = useTranslation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (asked) heading.current?.focus()
  }, [asked])
  return (
    <section
      className={styles.banner}
      aria-labelledby="consent"
      onKeyDown={(event) => event.key === 'Escape' && asked && onClose()}
    >
      <div className={styles.words}>
        <h2 id="consent" ref={heading} tabIndex={-1}>
          {t('privacy.title')}
        </h2>
        <p>
          {platforms.length > 0
            ? t('privacy.withPartners', { partners: platforms.join(', ') })
            : t('privacy.text')}{' '}
          {t('privacy.free')} <Link to={paths.privacyPolicy.to()}>{t('footer.privacy')}</Link>
        </p>
        {asked && answer !== null && (
          <p className={styles.now}>{t(answer ? 'privacy.nowYes' : 'privacy.nowNo')}</p>
        )}
      </div>
      <div className={styles.buttons}>
        <Button look="quiet" onClick={() => onChoose(false)}>
          {t('privacy.decline')}
        </Button>
        <Button look="quiet" onClick={() => onChoose(true)}>
          {t('privacy.accept')}
        </Button>
      </div>
      {asked && (
        <div className={styles.close}>
          <Button look="icon" aria-label={t('privacy.close')} onClick={onClose}>
            <Icon name="close" />
          </Button>
        </div>
      )}
    </section>
  )
}
