import { getUser, registerUser, type User } from '#contract/members.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let made = 0

/** What a member of the tests signs in with. */
export const password = 'nine parts of a drama'

interface RegisteredMember {
  visitor: Visitor
  user: User
  email: string
}

/** Somebody who has registered and is signed in; `visitor` may be a guest who keeps something already. */
export async function registerMember(
  site: TestSite,
  visitor: Visitor = site.visitor(),
): Promise<RegisteredMember> {
  const email = `member-${++made}@example.com`
  await visitor.ask(getUser)
  const user = await visitor.ask(registerUser, { body: { email, password, repeat_password: password } })
  return { visitor, user, email }
}
