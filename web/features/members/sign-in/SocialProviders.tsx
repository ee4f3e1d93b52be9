import { useTranslation } from '#web/i18n/use-translation.ts'
import { settings } from '#web/lib/settings.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { storeFragment, socialSignInUrl } from './social-return.ts'
import { useReturnAfterSignIn } from './use-return-after-sign-in.ts'

/**
 * Removes the fragment from the return path. The fragment of a mail's link contains a secret, which must not be sent to
 * any server. `storeFragment` stores the fragment in this tab instead.
 */
const withoutSecret = (path: string | undefined) => path?.replace(/#.*/, '') ?? null

/**
 * The sign-in links of the social providers that the operator has configured. Plain links, because in-app browsers
 * block pop-ups.
 */
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
      {t('account.continueWith', { name })}
    </a>
  ))
}
