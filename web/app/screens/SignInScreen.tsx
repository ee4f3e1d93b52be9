import '#web/i18n/account.ts'
import { SignIn } from '#web/features/members/SignIn.tsx'

export function Component() {
  return <SignIn />
}
