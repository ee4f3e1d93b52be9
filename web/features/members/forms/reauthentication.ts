import type { User } from '#contract/members.ts'

/**
 * The credentials for a reauthentication: the password or, for an account without a password, a code of the
 * authenticator app. Shortly after a sign-in, no credentials are needed.
 */
export interface Credentials {
  current_password: string
  totp: string
}

export function requiredCredentials({ role, has_password, second_factor }: User) {
  return { current_password: has_password, totp: role === 'member' && !has_password && second_factor }
}

/** Returns the fields of a request body that reauthenticate the user. */
export function credentialsBody(user: User, { current_password, totp }: Credentials): Partial<Credentials> {
  const required = requiredCredentials(user)
  return {
    ...(required.current_password ? { current_password } : {}),
    ...(required.totp && totp ? { totp: totp.trim() } : {}),
  }
}
