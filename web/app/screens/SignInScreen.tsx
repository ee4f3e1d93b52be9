import '#web/i18n/account.ts'
import { SignIn } from '#web/features/members/sign-in/SignIn.tsx'

export function Component() {
  return <SignIn />
}
