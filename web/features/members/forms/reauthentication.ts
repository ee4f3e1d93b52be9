import type { User } from '#contract/members.ts'

/** The password, or, without one, the authenticator app's code. Not needed shortly after a sign-in. */
export interface Credentials {
  current_password: string
  totp: string
}

export function requiredCredentials({ role, has_password, second_factor }: User) {
  return { current_password: has_password, totp: role === 'member' && !has_password && second_factor }
}

/** Returns the part of a call's body that reauthenticates the user. */
export function credentialsBody(user: User, { current_password, totp }: Credentials): Partial<Credentials> {
  const required = requiredCredentials(user)
  return {
    ...(required.current_password ? { current_password } : {}),
    ...(required.totp && totp ? { totp: totp.trim() } : {}),
  }
}
