import '#web/i18n/account.ts'
import { ResetPassword } from '#web/features/members/sign-in/ResetPassword.tsx'

export function Component() {
  return <ResetPassword />
}
