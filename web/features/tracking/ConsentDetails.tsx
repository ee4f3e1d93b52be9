import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatList } from '#web/lib/format.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './consent-banner.module.css'

interface ConsentDetailsProps {
  answer: boolean | null
  platforms: string[]
  onChoose: (agreed: boolean) => void
  onClose: () => void
}

/**
 * The full consent question, opened by the user. It takes the focus, shows the current answer, and can be closed
 * without an answer. Accept and decline look alike and are equally easy to reach.
 */
export function ConsentDetails({ answer, platforms, onChoose, onClose }: ConsentDetailsProps) {
  const { t } = useTranslation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
  }, [])
  return (
    <section
      className={styles.banner}
      aria-labelledby="consent"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.words}>
        <h2 id="consent" ref={heading} tabIndex={-1}>
          {t('privacy.title')}
        </h2>
        <p>
          {platforms.length > 0
            ? t('privacy.withPartners', { partners: formatList(platforms) })
            : t('privacy.text')}{' '}
          {t('privacy.noDisadvantage')} <Link to={paths.privacyPolicy.to()}>{t('footer.privacy')}</Link>
        </p>
        {answer !== null && (
          <p className={styles.now}>{t(answer ? 'privacy.accepted' : 'privacy.declined')}</p>
        )}
      </div>
      <div className={styles.buttons}>
        <Button variant="quiet" onClick={() => onChoose(false)}>
          {t('privacy.decline')}
        </Button>
        <Button variant="quiet" onClick={() => onChoose(true)}>
          {t('privacy.accept')}
        </Button>
      </div>
      <div className={styles.close}>
        <Button variant="icon" aria-label={t('privacy.close')} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
    </section>
  )
}
