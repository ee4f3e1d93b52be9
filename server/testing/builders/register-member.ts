import { getUser, registerUser, type User } from '#contract/members.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let memberCount = 0

/** The password of test members. */
export const password = 'nine parts of a drama'

interface RegisteredMember {
  visitor: Visitor
  user: User
  email: string
}

/** Registers a member, who is then signed in. `visitor` may be a guest who is already stored. */
export async function registerMember(
  site: TestSite,
  visitor: Visitor = site.visitor(),
): Promise<RegisteredMember> {
  const email = `member-${++memberCount}@example.com`
  await visitor.callOk(getUser)
  const user = await visitor.callOk(registerUser, { body: { email, password, repeat_password: password } })
  return { visitor, user, email }
}
