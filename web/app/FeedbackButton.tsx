import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'

const openDialog = () =>
  void import('./reporting/open-feedback.tsx').then(({ openFeedback }) => openFeedback())

/** Opens the feedback form. Renders nothing if the site has no error reporting to send it to. */
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
