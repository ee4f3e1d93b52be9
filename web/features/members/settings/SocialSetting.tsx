import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { type User } from '#contract/members.ts'
import { linkSocial } from '#contract/social.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { LinkedAccounts } from './LinkedAccounts.tsx'
import { ReauthenticateForm } from '#web/features/members/forms/ReauthenticateForm.tsx'
import { socialProvidersQuery } from '#web/features/members/sign-in/social-query.ts'
import {
  readSocialReturn,
  socialSignInUrl,
  type SocialReturn,
} from '#web/features/members/sign-in/social-return.ts'
import styles from '#web/features/members/forms/settings.module.css'

/** Links and unlinks social accounts. Renders nothing if no provider is offered and no account is linked. */
export function SocialSetting({ user }: { user: User }) {
  const { t } = useTranslation()
  const { data } = useQuery(socialProvidersQuery)
  if (!data?.list.length && !data?.linked.length) return null
  return (
    <div className={styles.setting}>
      <h3>{t('link.title')}</h3>
      <p className={styles.text}>{t('link.text')}</p>
      <LinkedAccounts user={user} />
      <div className={styles.buttons}>
        {data.list.map(({ id, name }) => (
          <a key={id} className={buttonClass('quiet')} href={socialSignInUrl(id, linkedAt(id))}>
            {t('link.link', { name })}
          </a>
        ))}
      </div>
      <SocialReturnNotice user={user} providers={data.list} />
    </div>
  )
}

const linkedAt = (provider: string) => `${paths.individual.to()}?linked=${encodeURIComponent(provider)}`

/** Shows the outcome after the return from a provider. If the sign-in is too old, asks for a reauthentication. */
function SocialReturnNotice({
  user,
  providers,
}: {
  user: User
  providers: readonly { id: string; name: string }[]
}) {
  const { t } = useTranslation()
  const { search, hash } = useLocation()
  const socialReturn = readSocialReturn(search, hash)
  const linked = new URLSearchParams(search).get('linked')
  const nameOf = (provider: string | null) => providers.find(({ id }) => id === provider)?.name
  if (socialReturn?.answer === 'reauthenticate')
    return (
      <ReauthenticateToLink
        user={user}
        back={socialReturn}
        name={nameOf(socialReturn.provider) ?? socialReturn.provider}
      />
    )
  if (socialReturn)
    return (
      <p className={styles.note} role="alert">
        {`${t('link.notLinked')} ${t(`social.${socialReturn.answer}`)}`}
      </p>
    )
  const name = nameOf(linked)
  return (
    name && (
      <p className={styles.note} role="status">
        {t('link.linked', { name })}
      </p>
    )
  )
}

function ReauthenticateToLink({ user, back, name }: { user: User; back: SocialReturn; name: string }) {
  const { t } = useTranslation()
  const send = async (credentials: object) => {
    const return_to = back.returnTo ?? paths.individual.to()
    const { url } = await call(linkSocial, { body: { provider: back.provider, return_to, ...credentials } })
    location.assign(url)
  }
  return (
    <div className={styles.form}>
      <ReauthenticateForm
        user={user}
        text={t('social.reauthenticate')}
        action={t('link.link', { name })}
        send={send}
      />
    </div>
  )
}
