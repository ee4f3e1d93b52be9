import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { storeFragment, socialSignInUrl } from './social-return.ts'
import { useReturnAfterSignIn } from './use-return-after-sign-in.ts'

/**
 * Removes the fragment. A mail's link has a secret there, which no server may receive: the sign-in returns to the page without it,
 * and this tab stores it.
 */
const withoutSecret = (path: string | undefined) => path?.replace(/#.*/, '') ?? null

/** Sign-in links of the social providers that have keys. They are plain links, because in-app browsers allow no pop-ups. */
export function SocialProviders() {
  const { t } = useTranslation()
  const { state } = useReturnAfterSignIn()
  return settings.social?.map(({ id, name }) => (
    <a
      key={id}
      className={buttonClass('quiet', true)}
      href={socialSignInUrl(id, withoutSecret(state?.from))}
      onClick={() => storeFragment(state?.from)}
    >
      {t('account.with', { name })}
    </a>
  ))
}
