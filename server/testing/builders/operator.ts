import { Secret, TOTP } from 'otpauth'
import type { Role } from '#contract/studio/roles.ts'
import { acceptInvitation, addOperator, beginInvitation } from '#contract/studio/operators.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** An operator who is signed in to the studio. */
export interface TestOperator {
  studio: Visitor
  email: string
  password: string
  /** The secret of the authenticator app (TOTP). */
  secret: string
  recoveryCodes: string[]
}

const password = 'a passphrase for the studio'
let added = 0

/** Returns the authenticator code (TOTP) that is valid at this time. */
export function totpCodeAt(secret: string, now: Date): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() })
}

/** Returns the secret in a one-time link. */
export const invitationSecretOf = (link: string) => link.split('=')[1] ?? ''

/** Adds an operator with the command line. @returns the secret of the one-time link */
export async function inviteOperator(
  site: Pick<TestSite, 'context'>,
  email: string,
  role: Role,
): Promise<string> {
  const answer = await runStudioCommand(site.context, [
    ...addOperator.command.split(' '),
    email,
    '--role',
    role,
    '--json',
  ])
  return invitationSecretOf((JSON.parse(answer) as { link: string }).link)
}

/** Creates an operator with this role, and signs in through the invitation link. */
export async function signInOperator(
  site: Pick<TestSite, 'context' | 'visitor'>,
  role: Role,
): Promise<TestOperator> {
  const email = `${role}${++added}@example.com`
  const invitation = await inviteOperator(site, email, role)
  const studio = site.visitor()
  const { secret } = await studio.callOk(beginInvitation, { body: { secret: invitation } })
  const code = totpCodeAt(secret, site.context.realClock.now())
  const body = { secret: invitation, password, repeat_password: password, code }
  const { recovery_codes } = await studio.callOk(acceptInvitation, { body })
  return { studio, email, password, secret, recoveryCodes: recovery_codes }
}
