import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { storeFragment, socialStart } from './social-answer.ts'
import { useReturnAfterSignIn } from './use-return-after-sign-in.ts'

/** A mail's link holds a secret behind the `#`, which no server is to see: it leads back to its page without it, and this tab keeps it. */
const withoutSecret = (path: string | undefined) => path?.replace(/#.*/, '') ?? null

/** Plain links: in-app browsers allow no pop-ups. Only providers that have keys are offered. */
export function SocialProviders() {
  const { t } = useTranslation()
  const { state } = useReturnAfterSignIn()
  return settings.social?.map(({ id, name }) => (
    <a
      key={id}
      className={buttonClass('quiet', true)}
      href={socialStart(id, withoutSecret(state?.from))}
      onClick={() => storeFragment(state?.from)}
    >
      {t('account.with', { name })}
    </a>
  ))
}
