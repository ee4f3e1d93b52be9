import { registerUser } from '#contract/members.ts'
import type { ParsedMail } from '#server/testing/fakes/parse-mail.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** A signed-in member. */
export interface Member {
  visitor: Visitor
  email: string
  password: string
}

let registered = 0

/** Registers a new member. */
export async function createMember(site: TestSite): Promise<Member> {
  const email = `ada${++registered}@example.com`
  const password = 'an old passphrase'
  const visitor = site.visitor()
  await visitor.callOk(registerUser, { body: { email, password, repeat_password: password } })
  return { visitor, email, password }
}

/** Returns the secret in the link of a mail. */
export function linkSecretOf(mail: ParsedMail | undefined): string {
  return mail?.link.split('=')[1] ?? ''
}
