import { languageFromTag } from '#contract/languages.ts'
import type { User } from '#contract/members.ts'
import { useConsent } from '#web/features/tracking/use-consent.ts'
import { changeLanguage } from '#web/i18n/index.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { isValidName } from '#web/lib/validation.ts'
import { languageNames, offeredLanguages } from '#web/lib/language.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm } from '#web/features/members/forms/AccountPage.tsx'
import { SettingGroup } from './Setting.tsx'
import { useChangeUser } from './use-change-user.ts'
import styles from '#web/features/members/forms/settings.module.css'

/** The settings that guests also have: name, language and consent. */
export function ProfileSettings({ user }: { user: User }) {
  const { t } = useTranslation()
  return (
    <SettingGroup title={t('settings.profile')}>
      <NameForm user={user} />
      <Language />
      <Consent />
    </SettingGroup>
  )
}

function NameForm({ user }: { user: User }) {
  const { t } = useTranslation()
  const change = useChangeUser()
  const form = useForm({
    initial: { display_name: user.display_name ?? '' },
    draft: { owner: user.id, fields: ['display_name'] },
    validate: ({ display_name }) =>
      isValidName(display_name) ? {} : { display_name: t('account.nameInvalid') },
    send: async ({ display_name }) => {
      await change({ display_name })
      notify(t('settings.saved'))
    },
  })
  return (
    <div className={styles.setting}>
      <div className={styles.inline}>
        <AccountForm form={form}>
          <Field
            {...form.field('display_name')}
            label={t('account.name')}
            hint={t('settings.nameText')}
            autoComplete="nickname"
          />
          <Button type="submit" variant="quiet" disabled={form.busy}>
            {form.busy ? t('account.working') : t('settings.save')}
          </Button>
        </AccountForm>
      </div>
    </div>
  )
}

/** The setting of the interface language. It is also stored on the server, for mails. */
function Language() {
  const { t, i18n } = useTranslation()
  const change = useChangeUser()
  const choose = (value: string) => {
    const language = languageFromTag(value) ?? 'en'
    void changeLanguage(language)
    // The interface has already changed. If the server call fails, a toast has shown the error.
    change({ language }).catch(() => {})
  }
  return (
    <label className={styles.setting}>
      <span className={styles.title}>{t('settings.language')}</span>
      <span className={styles.text}>{t('settings.languageText')}</span>
      <select
        className={styles.select}
        aria-label={t('settings.language')}
        value={i18n.language}
        onChange={(event) => choose(event.target.value)}
      >
        {offeredLanguages.map((language) => (
          <option key={language} value={language}>
            {languageNames[language]}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The consent setting. Stored in the browser at once, and sent to the server if the user is stored there. */
function Consent() {
  const { t } = useTranslation()
  const { answer, setConsent } = useConsent()
  return (
    <label className={styles.setting}>
      <span className={styles.title}>{t('settings.consent')}</span>
      <span className={styles.text} id="consent-text">
        {t('settings.consentText')}
      </span>
      <span className={styles.tick}>
        <input
          type="checkbox"
          aria-describedby="consent-text"
          aria-label={t('settings.consentLabel')}
          checked={answer ?? false}
          onChange={(event) => void setConsent(event.target.checked)}
        />
        {t('settings.consentLabel')}
      </span>
    </label>
  )
}
