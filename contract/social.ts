import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'
import { User } from './members.ts'
import { Id, Time, FormText, pageOf, nullable, stringEnum } from './schemas.ts'

/**
 * A profile at a social provider, with which the member can sign in to the account. An account may have several
 * profiles, even at the same provider. Each profile belongs to one account.
 */
export const Identity = Type.Object({
  id: Id,
  provider: Type.String(),
  /** The provider's name. */
  name: Type.String(),
  /** The user's e-mail address at the provider if the provider has verified it, otherwise the user's name there. */
  account_name: nullable(Type.String()),
  linked_at: Time,
})
export type Identity = Static<typeof Identity>

export const listSocialProviders = endpoint({
  method: 'GET',
  path: '/api/user/social',
  summary: 'Lists the configured social providers, and the profiles that the member has linked',
  refuses: [],
  data: pageOf(Type.Object({ id: Type.String(), name: Type.String() }), { linked: Type.Array(Identity) }),
})

export const linkSocial = endpoint({
  method: 'POST',
  path: '/api/user/social',
  summary: "Starts linking a social provider to the member's account after reauthentication",
  refuses: ['signInRequired', 'notFound', 'passwordWrong', 'codeWrong', 'socialFailed'],
  body: Type.Object({
    provider: Type.String({ maxLength: 32 }),
    /** The path of this site to return to. */
    return_to: Type.Optional(Type.String({ maxLength: 512 })),
    current_password: Type.Optional(FormText),
    totp: Type.Optional(FormText),
  }),
  /** The URL of the provider's page, which the browser opens next. */
  info: Type.Object({ url: Type.String() }),
})

export const unlinkSocial = endpoint({
  method: 'DELETE',
  path: '/api/user/social',
  summary: 'Unlinks a profile from the member, unless it is their only way to sign in',
  refuses: ['signInRequired', 'notFound', 'lastSignInMethod', 'passwordWrong', 'codeWrong'],
  body: Type.Object({
    id: Id,
    current_password: Type.Optional(FormText),
    totp: Type.Optional(FormText),
  }),
  info: Type.Object({ linked: Type.Array(Identity) }),
})

export const confirmSocial = endpoint({
  method: 'POST',
  path: '/api/user/social/code',
  summary: 'Completes a social sign-in with the authenticator code',
  refuses: [
    'secondFactorRequired',
    'signInRequired',
    'alreadySignedIn',
    'socialFailed',
    'signInWrong',
    'codeWrong',
  ],
  body: Type.Object({
    /**
     * The secret in the fragment of /login after a provider's redirect with `social=second_factor`; valid for 10
     * minutes.
     */
    ticket: Type.String({ maxLength: 512 }),
    totp: FormText,
  }),
  info: User,
  refusalSchemas: { 401: Type.Object({ second_factor: stringEnum(['totp']) }) },
})

/**
 * The reasons why a social sign-in did not complete, as `social` in the query of /login (or of /individual if a member
 * was linking a provider).
 * - `reauthenticate`: linking requires reauthentication, see `linkSocial`
 * - `wrong_browser`: the provider redirected to another browser than the one that started the sign-in
 * - `has_account`: an account has this e-mail; sign in to it first, then link the provider
 * - `already_linked`: the profile belongs to another account
 * - `second_factor`: the account's code is required, see `confirmSocial`
 */
export const socialSignInOutcomes = [
  'reauthenticate',
  'cancelled',
  'failed',
  'expired',
  'wrong_browser',
  'has_account',
  'already_linked',
  'second_factor',
] as const
export type SocialSignInOutcome = (typeof socialSignInOutcomes)[number]
