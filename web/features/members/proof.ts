import type { User } from '#contract/members.ts'

/** What somebody proves with that the account is theirs: the password; without one the app's code, unless they have just signed in. */
export interface Proof {
  current_password: string
  totp: string
}

export function proofAsked({ role, has_password, second_factor }: User) {
  return { current_password: has_password, totp: role === 'member' && !has_password && second_factor }
}

/** The part of a call's body that proves. */
export function proofBody(user: User, { current_password, totp }: Proof): Partial<Proof> {
  const asked = proofAsked(user)
  return {
    ...(asked.current_password ? { current_password } : {}),
    ...(asked.totp && totp ? { totp: totp.trim() } : {}),
  }
}
