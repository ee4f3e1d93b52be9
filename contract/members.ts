import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Cents, Currency, Id, LanguageCode, Time, FormText, pageOf, nullable, stringEnum } from './schemas.ts'
import { RemainingBalance } from './top-ups.ts'

/** The secret of a mailed link. */
export const LinkSecret = Type.String({ maxLength: 128 })

/** A plan with the price of each renewal. */
const RenewingPlan = Type.Object({
  id: Id,
  name: Type.String(),
  price_cents: Cents,
  currency: Currency,
  period_days: Type.Integer(),
})

export const Membership = Type.Object({
  state: stringEnum(['free', 'subscribed']),
  status: nullable(stringEnum(['active', 'past_due'])),
  grace_until: nullable(Time),
  plan: nullable(RenewingPlan),
  /** The plan of the next period, if a change is scheduled. */
  next_plan: Type.Optional(RenewingPlan),
  /**
   * While past due: the plan and the price of the unpaid period, and the gateways that accept it. If no gateway accepts
   * it, the subscriber can choose another plan.
   */
  owed: Type.Optional(
    Type.Object({ ...RenewingPlan.properties, gateways: Type.Optional(Type.Array(Type.String())) }),
  ),
  renews_at: nullable(Time),
  ends_at: nullable(Time),
  cancel_at_period_end: Type.Boolean(),
  gateway: nullable(Type.String()),
  /** The payment method of the subscription: brand and last digits of a card, no digits for a wallet. */
  method: Type.Optional(Type.Object({ brand: nullable(Type.String()), last4: nullable(Type.String()) })),
  /** True if the payment method was removed at the gateway: the subscription then needs a new method to renew. */
  method_detached: Type.Optional(Type.Boolean()),
})
export type Membership = Static<typeof Membership>

export const User = Type.Object({
  id: Id,
  role: stringEnum(['visitor', 'member']),
  email: nullable(Type.String()),
  email_verified: Type.Boolean(),
  display_name: nullable(Type.String()),
  avatar_url: nullable(Type.String()),
  language: nullable(LanguageCode),
  referral_code: nullable(Type.String()),
  /** Null until the user has answered the consent banner. */
  consent: nullable(Type.Object({ marketing: Type.Boolean() })),
  has_password: Type.Boolean(),
  second_factor: Type.Boolean(),
  membership: Membership,
})
export type User = Static<typeof User>

export const getUser = endpoint({
  method: 'GET',
  path: '/api/user',
  summary: 'Returns the current user, or a new guest if the token is unknown or missing',
  refuses: [],
  info: User,
})

export const changeUser = endpoint({
  method: 'POST',
  path: '/api/user',
  summary: "Changes the user's name, language, e-mail, password or consent",
  refuses: [
    'signInRequired',
    'nameInvalid',
    'languageUnknown',
    'emailInvalid',
    'emailTaken',
    'passwordTooShort',
    'passwordTooLong',
    'passwordCommon',
    'passwordWrong',
  ],
  body: Type.Object({
    display_name: Type.Optional(FormText),
    language: Type.Optional(Type.String({ maxLength: 35 })),
    email: Type.Optional(FormText),
    current_password: Type.Optional(FormText),
    new_password: Type.Optional(FormText),
    consent: Type.Optional(Type.Object({ marketing: Type.Boolean() })),
  }),
  info: User,
})

export const registerUser = endpoint({
  method: 'POST',
  path: '/api/user/register',
  summary: "Turns the guest into a member, keeping the guest's records, and signs in",
  refuses: [
    'signInRequired',
    'alreadySignedIn',
    'emailInvalid',
    'emailTaken',
    'passwordTooShort',
    'passwordTooLong',
    'passwordCommon',
    'passwordsDiffer',
    'nameInvalid',
  ],
  body: Type.Object({
    email: FormText,
    password: FormText,
    repeat_password: FormText,
    display_name: Type.Optional(FormText),
  }),
  info: User,
})

export const signIn = endpoint({
  method: 'POST',
  path: '/api/user/login',
  summary: "Signs in; the guest's records are merged into the account",
  refuses: ['secondFactorRequired', 'alreadySignedIn', 'emailInvalid', 'signInWrong', 'codeWrong'],
  body: Type.Object({ email: FormText, password: FormText, totp: Type.Optional(FormText) }),
  info: User,
  refusalSchemas: { 401: Type.Object({ second_factor: stringEnum(['totp']) }) },
})

export const signOut = endpoint({
  method: 'POST',
  path: '/api/user/logout',
  summary: 'Signs out and returns a new guest',
  refuses: [],
  info: User,
})

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/api/user',
  summary: 'Deletes the account and returns a new guest; the ledger keeps the payments without personal data',
  refuses: ['signInRequired', 'passwordWrong', 'codeWrong', 'balanceNotEmpty', 'balanceRefundPending'],
  body: Type.Object({
    current_password: Type.Optional(FormText),
    totp: Type.Optional(FormText),
    /** Deletes the account although the balance has paid money, which is forfeited. */
    forfeit_balance: Type.Optional(Type.Boolean()),
  }),
  info: User,
  /**
   * The remaining paid balance, which POST /api/balance/refund refunds. If `balances` is missing, such a refund is in
   * progress (`balanceRefundPending`).
   */
  refusalSchemas: {
    409: Type.Object({ balances: Type.Optional(Type.Array(RemainingBalance)) }),
  },
})

export const exportUser = endpoint({
  method: 'GET',
  path: '/api/user/export',
  summary: 'Exports all personal data of the user as a file',
  refuses: ['signInRequired'],
  info: Type.Object({}, { additionalProperties: true }),
})

export const Session = Type.Object({
  id: Id,
  current: Type.Boolean(),
  /** The browser and operating system as readable text, as far as known. */
  device: Type.String(),
  created_at: Time,
  last_seen_at: Time,
})
export type Session = Static<typeof Session>

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/user/session',
  summary: "Lists the member's sessions, newest first",
  refuses: ['signInRequired'],
  data: pageOf(Session),
})

export const endSessions = endpoint({
  method: 'DELETE',
  path: '/api/user/session',
  summary: 'Ends the session with the given ID or, without an ID, all sessions except the current one',
  refuses: ['signInRequired'],
  body: Type.Object({ id: Type.Optional(Id) }),
  info: Type.Object({ removed: Type.Integer() }),
})

export const changeSecondFactor = endpoint({
  method: 'POST',
  path: '/api/user/totp',
  summary: 'Sets up, confirms or turns off two-step sign-in',
  refuses: ['signInRequired', 'editConflict', 'passwordWrong', 'codeWrong'],
  body: Type.Object({
    action: stringEnum(['start', 'confirm', 'remove']),
    current_password: Type.Optional(FormText),
    code: Type.Optional(FormText),
  }),
  info: Type.Object({
    enabled: Type.Boolean(),
    /** With `start`: the secret for the authenticator app, as text and as a link. */
    secret: Type.Optional(Type.String()),
    otpauth_url: Type.Optional(Type.String()),
    /** With `confirm`: codes for signing in without the authenticator app, each valid once. They are shown only once. */
    recovery_codes: Type.Optional(Type.Array(Type.String())),
  }),
})

export const requestPasswordReset = endpoint({
  method: 'POST',
  path: '/api/user/password/forgot',
  summary: 'Sends a link to set a new password; the answer is the same whether the address is known or not',
  refuses: ['emailInvalid'],
  body: Type.Object({ email: FormText }),
  info: Type.Object({ sent: Type.Boolean() }),
})

export const resetPassword = endpoint({
  method: 'POST',
  path: '/api/user/password/reset',
  summary: "Sets a new password with the mailed link's secret and ends every session",
  refuses: ['passwordTooShort', 'passwordTooLong', 'passwordCommon', 'passwordsDiffer', 'linkExpired'],
  body: Type.Object({ secret: LinkSecret, new_password: FormText, repeat_password: FormText }),
  info: Type.Object({ changed: Type.Boolean() }),
})

export const verifyEmail = endpoint({
  method: 'POST',
  path: '/api/user/email/verify',
  summary:
    'Verifies the e-mail address with the secret of the mailed link; without a secret, sends a new link',
  refuses: ['signInRequired', 'notFound', 'linkExpired', 'emailTaken'],
  body: Type.Object({ secret: Type.Optional(LinkSecret) }),
  info: Type.Object({ verified: Type.Boolean(), email: Type.String() }),
})
