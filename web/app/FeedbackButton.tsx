import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'

const open = () => void import('./reporting/open-feedback.tsx').then(({ openFeedback }) => openFeedback())

/** The way to say what went wrong, where the site has somewhere to say it to. */
export function FeedbackButton() {
  const { t } = useTranslation()
  return (
    settings.sentry && (
      <button type="button" onClick={open}>
        {t('footer.feedback')}
      </button>
    )
  )
}
