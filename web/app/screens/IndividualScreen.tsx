import '#web/i18n/account.ts'
import '#web/i18n/mine.ts'
import '#web/i18n/watch.ts'
import { Individual } from '#web/features/members/Individual.tsx'

export function Component() {
  return <Individual />
}
