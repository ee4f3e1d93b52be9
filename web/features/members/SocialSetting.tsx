import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { socialProvidersQuery } from './queries.ts'
import { readSocialReturn, socialStart } from './social-answer.ts'
import styles from './settings.module.css'

/** Links an account elsewhere; says how it went to whoever comes back from there. Nothing where no provider is offered. */
export function SocialSetting() {
  const { t } = useTranslation()
  const { data } = useQuery(socialProvidersQuery)
  const { search, hash } = useLocation()
  const back = readSocialReturn(search, hash)
  const linked = new URLSearchParams(search).get('linked')
  const name = data?.list.find(({ id }) => id === linked)?.name
  if (!data?.list.length) return null
  return (
    <div className={styles.setting}>
      <h3>{t('link.title')}</h3>
      <p className={styles.text}>{t('link.text')}</p>
      <div className={styles.buttons}>
        {data.list.map((provider) => (
          <a
            key={provider.id}
            className={buttonClass('quiet')}
            href={socialStart(
              provider.id,
              `${paths.individual.to()}?linked=${encodeURIComponent(provider.id)}`,
            )}
          >
            {t('link.link', { name: provider.name })}
          </a>
        ))}
      </div>
      {back && (
        <p className={styles.note} role="alert">
          {`${t('link.notLinked')} ${t(`social.${back.answer}`)}`}
        </p>
      )}
      {!back && name && (
        <p className={styles.note} role="status">
          {t('link.linked', { name })}
        </p>
      )}
    </div>
  )
}
