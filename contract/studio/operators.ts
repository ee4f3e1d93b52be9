import { Type, type Static } from 'typebox'
import { endpoint } from '#contract/endpoint.ts'
import { Id, Time, FormText, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'
import { roles } from './roles.ts'

/** An operator: a user of the studio. */
export const Operator = Type.Object({
  id: Id,
  email: Type.String(),
  role: stringEnum(roles),
  /** Null until the invitation is accepted. */
  active_since: nullable(Time),
  last_seen_at: nullable(Time),
})
export type Operator = Static<typeof Operator>

/** The signed-in operator, and the site's properties that the studio needs. */
export const StudioSession = Type.Object({
  operator: Type.Object({ id: Id, email: Type.String(), role: stringEnum(roles) }),
  site: Type.String(),
  /** True if customers can pay with the sandbox, which moves no money. */
  sandbox: Type.Boolean(),
})
export type StudioSession = Static<typeof StudioSession>

export const getStudioSession = endpoint({
  method: 'GET',
  path: '/api/studio/session',
  summary: 'Returns the signed-in operator',
  refuses: ['signInRequired'],
  info: StudioSession,
})

export const openStudioSession = endpoint({
  method: 'POST',
  path: '/api/studio/session',
  summary: 'Signs an operator in with e-mail, password and authenticator code',
  refuses: ['emailInvalid', 'signInWrong', 'secondFactorRequired', 'codeWrong'],
  body: Type.Object({ email: FormText, password: FormText, totp: Type.Optional(FormText) }),
  info: StudioSession,
  refusalSchemas: { 401: Type.Object({ second_factor: stringEnum(['totp']) }) },
})

export const closeStudioSession = endpoint({
  method: 'DELETE',
  path: '/api/studio/session',
  summary: 'Signs the operator out of this session, or of all sessions',
  refuses: ['signInRequired'],
  body: Type.Object({ everywhere: Type.Optional(Type.Boolean()) }),
  info: Type.Object({ ended: Type.Integer() }),
})

const InvitationSecret = Type.String({ maxLength: 128 })

export const beginInvitation = endpoint({
  method: 'POST',
  path: '/api/studio/invitation/begin',
  summary: 'Opens an invitation: returns its e-mail address and the secret for the authenticator app',
  refuses: ['linkExpired'],
  body: Type.Object({ secret: InvitationSecret }),
  info: Type.Object({ email: Type.String(), secret: Type.String(), otpauth_url: Type.String() }),
})

export const acceptInvitation = endpoint({
  method: 'POST',
  path: '/api/studio/invitation',
  summary: "Sets an operator's password and authenticator app, and signs in",
  refuses: [
    'linkExpired',
    'passwordTooShort',
    'passwordTooLong',
    'passwordCommon',
    'passwordsDiffer',
    'codeWrong',
  ],
  body: Type.Object({
    secret: InvitationSecret,
    password: FormText,
    repeat_password: FormText,
    code: FormText,
  }),
  info: Type.Object({ session: StudioSession, recovery_codes: Type.Array(Type.String()) }),
})

/** An operator with the one-time link for setting the password and the second factor. */
const Invitation = Type.Object({ operator: Operator, link: Type.String(), expires_at: Time })

export const addOperator = command({
  method: 'POST',
  path: '/api/studio/operators/add',
  command: 'operator add',
  args: ['email'],
  roles: ['owner'],
  summary: 'Adds an operator and returns a one-time link to sign in',
  refuses: ['emailInvalid', 'operatorExists'],
  body: Type.Object({ email: FormText, role: Type.Optional(stringEnum(roles)) }),
  info: Invitation,
})

export const listOperators = command({
  method: 'GET',
  path: '/api/studio/operators',
  command: 'operator list',
  roles,
  summary: 'Lists the operators; an operator who is not an owner sees only their own entry',
  refuses: [],
  data: Type.Object({ list: Type.Array(Operator) }),
})

export const changeOperator = command({
  method: 'POST',
  path: '/api/studio/operators/role',
  command: 'operator set-role',
  args: ['email', 'role'],
  roles: ['owner'],
  summary: "Changes an operator's role",
  refuses: ['notFound', 'lastOwner'],
  body: Type.Object({ email: FormText, role: stringEnum(roles) }),
  info: Operator,
})

export const resetOperator = command({
  method: 'POST',
  path: '/api/studio/operators/reset',
  command: 'operator reset-access',
  args: ['email'],
  roles: ['owner'],
  summary: "Resets an operator's access and returns a new one-time link",
  refuses: ['notFound'],
  body: Type.Object({ email: FormText }),
  info: Invitation,
})

export const removeOperator = command({
  method: 'DELETE',
  path: '/api/studio/operators',
  command: 'operator remove',
  args: ['email'],
  roles: ['owner'],
  summary: 'Removes an operator; their actions stay in the audit log',
  refuses: ['notFound', 'lastOwner'],
  body: Type.Object({ email: FormText }),
  info: Type.Object({ removed: Type.Boolean() }),
})

/** An entry of the audit log. */
export const AuditEvent = Type.Object({
  id: Id,
  at: Time,
  /**
   * The name of the event: an event of contract/studio/audit-events.ts, or an event that only older versions wrote. The
   * event of a command is named `studio ` followed by the command, such as `studio order refund`.
   */
  event: Type.String(),
  /** The operator's e-mail address; null for the command line, and for events of viewers, gateways and jobs. */
  operator: nullable(Type.String()),
  /** The subject of the action, such as the id of a video or an order. */
  subject: nullable(Type.String()),
  details: Type.Object({}, { additionalProperties: true }),
})
export type AuditEvent = Static<typeof AuditEvent>

export const listAuditEvents = command({
  method: 'GET',
  path: '/api/studio/audit',
  command: 'audit list',
  roles: ['owner', 'support'],
  summary: 'Lists the audit log, newest first: the actions of operators, or everything about one subject',
  refuses: [],
  query: Type.Object({ ...pagingFields, subject: Type.Optional(Type.String({ maxLength: 100 })) }),
  data: pageOf(AuditEvent),
})
