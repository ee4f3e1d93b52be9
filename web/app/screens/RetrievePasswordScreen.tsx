import '#web/i18n/account.ts'
import { RetrievePassword } from '#web/features/members/sign-in/RetrievePassword.tsx'

export function Component() {
  return <RetrievePassword />
}
