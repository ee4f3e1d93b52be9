import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'

const openDialog = () =>
  void import('./reporting/open-feedback.tsx').then(({ openFeedback }) => openFeedback())

/**
 * Opens the feedback form. Renders nothing if error reporting is not configured, because feedback is sent to the error
 * reporting service.
 */
export function FeedbackButton() {
  const { t } = useTranslation()
  return (
    settings.sentry && (
      <button type="button" onClick={openDialog}>
        {t('footer.feedback')}
      </button>
    )
  )
}
