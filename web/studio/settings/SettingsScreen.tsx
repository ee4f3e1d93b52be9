import { useQuery } from '@tanstack/react-query'
import { changeSetting, rateLimitNames, type Settings } from '#contract/studio/settings.ts'
import { trackingKeys } from '#contract/tracking.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { Languages } from './Languages.tsx'
import { Maintenance } from './Maintenance.tsx'
import { settingsQuery } from './settings-query.ts'
import { SettingRow } from './SettingRow.tsx'
import styles from './settings.module.css'

const groups = [
  { name: 'mails', names: ['contact_email', 'mail_from'] },
  { name: 'pixels', names: trackingKeys },
  { name: 'limits', names: rateLimitNames },
] as const

/** The settings area, with the site's runtime settings. */
export function Component() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const settings = useQuery(settingsQuery)
  return (
    <Page
      title={t('settings.title')}
      lead={t(isAllowed(changeSetting) ? 'settings.lead' : 'settings.leadReadOnly')}
    >
      {settings.isError && <LoadError onRetry={() => void settings.refetch()} />}
      {settings.isPending && <div className={styles.wait} aria-busy="true" />}
      {settings.data && <SettingPanels settings={settings.data} />}
    </Page>
  )
}

function SettingPanels({ settings: { maintenance, languages, settings, secrets } }: { settings: Settings }) {
  const { t } = useTexts()
  return (
    <>
      <Panel title={t('settings.maintenance')}>
        <Maintenance on={maintenance} />
      </Panel>
      <Panel title={t('settings.languages')}>
        <p className={styles.quiet}>{t('settings.languagesText')}</p>
        <Languages key={languages.join()} offered={languages} />
      </Panel>
      {groups.map(({ name, names }) => (
        <Panel key={name} title={t(`settings.group.${name}`)}>
          <p className={styles.quiet}>{t(`settings.groupText.${name}`)}</p>
          <ul className={styles.rows}>
            {settings
              .filter((setting) => names.some((each) => each === setting.name))
              .map((setting) => (
                <SettingRow key={`${setting.name} ${setting.value}`} setting={setting} />
              ))}
          </ul>
        </Panel>
      ))}
      <Panel title={t('settings.secrets')}>
        <p className={styles.quiet}>{t('settings.secretsText')}</p>
        <dl className={styles.secrets}>
          {secrets.map(({ name, set }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{set ? t('settings.set') : t('settings.notSet')}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    </>
  )
}
