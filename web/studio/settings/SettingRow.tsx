import { useQueryClient } from '@tanstack/react-query'
import { changeSetting, rateLimitBounds, rateLimitNames, type Setting } from '#contract/studio/settings.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { settingsQuery } from './settings-query.ts'
import styles from './settings.module.css'

/** One setting. Owners can change it or reset it to the value of the environment. */
export function SettingRow({ setting: { name, value, custom } }: { setting: Setting }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()(changeSetting)
  const queryClient = useQueryClient()
  const resetSetting = useCommand(changeSetting, t('done.settingSaved'))
  const form = useGuardedForm({
    initial: { value: value ?? '' },
    validate: ({ value }) => (value.trim() ? {} : { value: t('settings.valueMissing') }),
    send: async ({ value }) => {
      queryClient.setQueryData(settingsQuery.queryKey, await call(changeSetting, { body: { name, value } }))
      notify(t('done.settingSaved'))
    },
  })
  const label = t(`settings.name.${name}`)
  const source = t(
    custom ? 'settings.setInStudio' : value === null ? 'settings.notSet' : 'settings.fromEnvironment',
  )
  if (!isAllowed)
    return (
      <li className={styles.row}>
        <p className={styles.shown}>
          {label}
          <strong>{value ?? '–'}</strong>
        </p>
        <p className={styles.quiet}>{source}</p>
      </li>
    )
  return (
    <li>
      <form className={styles.row} onSubmit={form.submit} noValidate>
        <Field
          {...form.field('value')}
          label={label}
          hint={`${source} · ${hintFor(name, t)}`}
          autoComplete="off"
        />
        <div className={styles.actions}>
          <Button type="submit" variant="quiet" disabled={form.busy || form.value.value === (value ?? '')}>
            {t('settings.save')}
            <span className="hidden-text">{label}</span>
          </Button>
          {custom && (
            <Button
              variant="quiet"
              disabled={resetSetting.busy}
              onClick={() => void resetSetting.run({ name, value: null })}
            >
              {t('settings.reset')}
              <span className="hidden-text">{label}</span>
            </Button>
          )}
        </div>
      </form>
    </li>
  )
}

const examples: Partial<Record<Setting['name'], string>> = {
  contact_email: 'hello@drama.example',
  mail_from: 'Drama <hello@drama.example>',
  facebook_pixel_id: '1234567890',
  google_analytics: 'G-ABC123',
  tiktok_pixel: 'C4ABC123',
  bigo_pixel: '905…',
}

/** Returns the hint for a setting: an example or, for a rate limit, its bounds. */
function hintFor(name: Setting['name'], t: Translate): string {
  const limit = rateLimitNames.find((each) => each === name)
  return limit
    ? t('settings.bounds', rateLimitBounds[limit])
    : t('settings.example', { example: examples[name] ?? '' })
}
