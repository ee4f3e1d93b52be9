import '#web/i18n/account.ts'
import '#web/i18n/member-area.ts'
import '#web/i18n/watch.ts'
import { AccountSettings } from '#web/features/members/settings/AccountSettings.tsx'

export function Component() {
  return <AccountSettings />
}
