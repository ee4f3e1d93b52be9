import { lazy, Suspense, useState } from 'react'
import { exportUser, type User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { Setting, SettingGroup } from './Setting.tsx'
import styles from '#web/features/members/forms/settings.module.css'

// Opened by few.
const DeleteForm = lazy(async () => ({ default: (await import('./DeleteForm.tsx')).DeleteForm }))

/** Taking one's data along, and having it deleted: for guests as for members. */
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
      <Button look="quiet" onClick={download} disabled={busy}>
        {busy ? t('account.working') : t('data.export')}
      </Button>
    </div>
  )
}

/** A plain link to the call would lose the token of those whose browser keeps no cookie. */
function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
