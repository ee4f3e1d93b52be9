import '#web/i18n/account.ts'
import { History } from '#web/features/library/History.tsx'

export function Component() {
  return <History kind="watched" />
}
