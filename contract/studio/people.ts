import { Type, type Static } from 'typebox'
import { gatewayIds } from '#contract/billing.ts'
import { Membership } from '#contract/members.ts'
import { Id, Milliseconds, Time, listOf, nullable, oneOf, paging } from '#contract/shapes.ts'
import { command } from './command.ts'
import { HeldEntitlement } from './orders.ts'

/** Only those who help people see who they are. */
const helpers = ['owner', 'support'] as const
/** Why something was done to somebody; it stands in the audit trail. */
const Reason = Type.String({ minLength: 1, maxLength: 200 })

/** What somebody without an account's address gave at their latest purchase; nobody has proven that it is theirs. */
export const OrderEmail = nullable(Type.String())

/** Somebody who watches: a member, or a guest of whom something is kept. */
export const Person = Type.Object({
  id: Id,
  role: oneOf(['member', 'guest', 'deleted']),
  email: nullable(Type.String()),
  email_verified: Type.Boolean(),
  order_email: OrderEmail,
  display_name: nullable(Type.String()),
  language: nullable(Type.String()),
  created_at: Time,
  member_since: nullable(Time),
  deleted_at: nullable(Time),
})
export type Person = Static<typeof Person>

/** Where somebody is signed in. */
const SignedIn = Type.Object({ id: Id, device: Type.String(), created_at: Time, last_seen_at: Time })

/** A card or wallet that is kept for renewals: what its holder sees of it too, and no more. */
const KeptMethod = Type.Object({
  gateway: oneOf(gatewayIds),
  brand: nullable(Type.String()),
  last4: nullable(Type.String()),
  created_at: Time,
})

/** One person with all that helps to help them; their orders are in the list of orders. */
export const PersonFile = Type.Object({
  person: Person,
  membership: Membership,
  methods: Type.Array(KeptMethod),
  sessions: Type.Array(SignedIn),
  entitlements: Type.Array(HeldEntitlement),
})
export type PersonFile = Static<typeof PersonFile>

export const findPeople = command({
  method: 'GET',
  path: '/api/studio/people',
  command: 'person find',
  args: ['who'],
  roles: helpers,
  summary: "People by an e-mail of an account or an order, a user's id, or an order's id",
  refuses: [],
  query: Type.Object({ who: Type.String({ minLength: 1, maxLength: 254 }) }),
  data: Type.Object({ list: Type.Array(Person) }),
})

export const getPerson = command({
  method: 'GET',
  path: '/api/studio/people/one',
  command: 'person show',
  args: ['id'],
  roles: helpers,
  summary: 'One person: subscription, payment methods, sessions, entitlements',
  refuses: ['notFound'],
  query: Type.Object({ id: Id }),
  info: PersonFile,
})

/** What somebody watched, with where they left off. */
export const WatchedEntry = Type.Object({
  video_id: Id,
  title: Type.String(),
  number: Type.Integer(),
  position_ms: Milliseconds,
  duration_ms: Milliseconds,
  at: Time,
})
export type WatchedEntry = Static<typeof WatchedEntry>

export const listWatched = command({
  method: 'GET',
  path: '/api/studio/people/history',
  command: 'person history',
  args: ['id'],
  roles: helpers,
  summary: 'What a person watched, the latest first',
  refuses: [],
  query: Type.Object({ id: Id, ...paging }),
  data: listOf(WatchedEntry),
})

export const signOutPerson = command({
  method: 'POST',
  path: '/api/studio/people/sign-out',
  command: 'person sign-out',
  args: ['id'],
  roles: helpers,
  summary: 'Ends all sessions of a person',
  refuses: ['notFound'],
  body: Type.Object({ id: Id }),
  info: Type.Object({ ended: Type.Integer() }),
})

export const deletePerson = command({
  method: 'DELETE',
  path: '/api/studio/people',
  command: 'person delete',
  args: ['id'],
  confirmed: ['reason'],
  roles: helpers,
  summary: 'Deletes a person who asked for it: their plan ends, their data go, the books keep what they must',
  refuses: ['notFound'],
  body: Type.Object({ id: Id, reason: Reason }),
  info: Type.Object({ deleted: Type.Boolean() }),
})

export const grantEntitlement = command({
  method: 'POST',
  path: '/api/studio/entitlements',
  command: 'entitlement grant',
  args: ['person'],
  roles: helpers,
  summary: 'Gives a person a right to watch: an episode, a whole video, or without a video everything',
  refuses: ['notFound'],
  body: Type.Object({
    person: Id,
    video_id: Type.Optional(Id),
    /** Of one episode; without it, the whole video. */
    number: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    /** How long it lasts; without it, for good. */
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
    reason: Reason,
  }),
  info: Type.Object({ id: Id, ends_at: nullable(Time) }),
})

export const revokeEntitlement = command({
  method: 'DELETE',
  path: '/api/studio/entitlements',
  command: 'entitlement revoke',
  args: ['id'],
  roles: helpers,
  summary: 'Takes a right to watch away; what a plan gives comes back with its next period',
  refuses: ['notFound'],
  body: Type.Object({ id: Id, reason: Reason }),
  info: Type.Object({ revoked: Type.Boolean() }),
})
