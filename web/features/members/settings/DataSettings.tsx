import { lazy, Suspense, useState } from 'react'
import { exportUser, type User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { Setting, SettingGroup } from './Setting.tsx'
import styles from '#web/features/members/forms/settings.module.css'

// Loaded on demand, because few users open it.
const DeleteForm = lazy(async () => ({ default: (await import('./DeleteForm.tsx')).DeleteForm }))

/** Export and deletion of the user's data, for guests and members. */
export function DataSettings({ user, onDeleted }: { user: User; onDeleted: () => void }) {
  const { t } = useTranslation()
  const member = user.role === 'member'
  return (
    <SettingGroup title={t('settings.data')}>
      <ExportSetting />
      <Setting
        title={t(member ? 'data.deleteTitle' : 'data.deleteGuestTitle')}
        text={t('data.deleteText')}
        action={t('data.delete')}
      >
        {() => (
          <Suspense>
            <DeleteForm user={user} onDeleted={onDeleted} />
          </Suspense>
        )}
      </Setting>
    </SettingGroup>
  )
}

function ExportSetting() {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const download = () => {
    setBusy(true)
    call(exportUser)
      .then((data) => saveFile('my-data.json', JSON.stringify(data, null, 2)))
      .catch(() => {})
      .finally(() => setBusy(false))
  }
  return (
    <div className={styles.setting}>
      <h3>{t('data.exportTitle')}</h3>
      <p className={styles.text}>{t('data.exportText')}</p>
      <Button variant="quiet" onClick={download} disabled={busy}>
        {busy ? t('account.working') : t('data.export')}
      </Button>
    </div>
  )
}

/**
 * Saves the exported data as a file. A plain link to the call could not send the session token of browsers that block
 * cookies.
 */
function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
