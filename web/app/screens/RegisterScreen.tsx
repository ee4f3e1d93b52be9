import '#web/i18n/account.ts'
import { Register } from '#web/features/members/sign-in/Register.tsx'

export function Component() {
  return <Register />
}
