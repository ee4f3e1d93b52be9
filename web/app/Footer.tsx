import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import { paths, contractLinkPaths } from '#web/lib/paths.ts'
import { FeedbackButton } from './FeedbackButton.tsx'
import styles from './shell.module.css'

const links = [
  [paths.serviceAgreement, 'terms'],
  [paths.privacyPolicy, 'privacy'],
  [paths.contentPolicy, 'content'],
  [paths.refundPolicy, 'refund'],
  [paths.contactUs, 'contact'],
  [paths.commonQuestions, 'faq'],
  [paths.serviceAgreement, 'service'],
] as const

/**
 * The footer. It has the seven text links of the seed (section 2), links for cancellation, withdrawal, privacy choices
 * and feedback, and the operator's copyright line. Two of the text links open the service agreement.
 */
export function Footer({
  copyright,
  onChoices: onPrivacyChoices,
}: {
  copyright: string | undefined
  onChoices: () => void
}) {
  const { t } = useTranslation()
  return (
    <footer className={styles.footer}>
      <nav aria-label={t('footer.title')}>
        {links.map(([path, name]) => (
          <Link key={name} to={path.to()}>
            {t(`footer.${name}`)}
          </Link>
        ))}
        <Link to={contractLinkPaths.cancel}>{t('footer.cancelContract')}</Link>
        <Link to={contractLinkPaths.withdraw}>{t('footer.withdraw')}</Link>
        <button type="button" onClick={onPrivacyChoices}>
          {t('footer.choices')}
        </button>
        <FeedbackButton />
      </nav>
      <p>{copyright}</p>
    </footer>
  )
}
