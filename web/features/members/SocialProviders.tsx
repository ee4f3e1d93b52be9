import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { socialStart } from './social-answer.ts'
import { useWayOn } from './use-way-on.ts'

/** Plain links: in-app browsers allow no pop-ups. Only providers that have keys are offered. */
export function SocialProviders() {
  const { t } = useTranslation()
  const { state } = useWayOn()
  return settings.social?.map(({ id, name }) => (
    <a key={id} className={buttonClass('quiet', true)} href={socialStart(id, state?.from ?? null)}>
      {t('account.with', { name })}
    </a>
  ))
}
