import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Id, LanguageCode, Time, nullable, oneOf } from './shapes.ts'

export const Membership = Type.Object({
  state: oneOf(['free', 'subscribed']),
  status: nullable(oneOf(['active', 'past_due'])),
  grace_until: nullable(Time),
  plan: nullable(Type.Object({ id: Id, name: Type.String() })),
  renews_at: nullable(Time),
  ends_at: nullable(Time),
  cancel_at_period_end: Type.Boolean(),
  gateway: nullable(Type.String()),
})
export type Membership = Static<typeof Membership>

export const User = Type.Object({
  id: Id,
  role: oneOf(['visitor', 'member']),
  email: nullable(Type.String()),
  email_verified: Type.Boolean(),
  display_name: nullable(Type.String()),
  avatar_url: nullable(Type.String()),
  language: nullable(LanguageCode),
  referral_code: nullable(Type.String()),
  membership: Membership,
})
export type User = Static<typeof User>

export const getUser = endpoint({
  method: 'GET',
  path: '/api/user',
  summary: 'Who is asking: the user, or a new guest where the token is unknown or absent',
  info: User,
})

export const changeUser = endpoint({
  method: 'POST',
  path: '/api/user',
  summary: "Changes the user's name or language",
  body: Type.Object({
    display_name: Type.Optional(Type.String({ maxLength: 512 })),
    language: Type.Optional(Type.String({ maxLength: 35 })),
  }),
  info: User,
})
