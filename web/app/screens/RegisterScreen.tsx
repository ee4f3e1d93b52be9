import '#web/i18n/account.ts'
import { Register } from '#web/features/members/Register.tsx'

export function Component() {
  return <Register />
}
