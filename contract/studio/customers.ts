import { Type, type Static } from 'typebox'
import { gatewayIds } from '#contract/billing.ts'
import { Membership } from '#contract/members.ts'
import { Id, Milliseconds, Time, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { RemainingBalance } from '#contract/top-ups.ts'
import { command } from './command.ts'
import { CustomerEntitlement } from './orders.ts'

/** Roles with access to customers' personal data. */
const supportRoles = ['owner', 'support'] as const
/** The reason for an action, recorded in the audit log. */
const Reason = Type.String({ minLength: 1, maxLength: 200 })

/** The unverified address of the latest purchase, for customers whose account has no address. */
export const OrderEmail = nullable(Type.String())

/** A customer: a member, or a guest with stored records. */
export const Customer = Type.Object({
  id: Id,
  role: stringEnum(['member', 'guest', 'deleted']),
  email: nullable(Type.String()),
  email_verified: Type.Boolean(),
  order_email: OrderEmail,
  display_name: nullable(Type.String()),
  language: nullable(Type.String()),
  created_at: Time,
  member_since: nullable(Time),
  deleted_at: nullable(Time),
})
export type Customer = Static<typeof Customer>

/** A session of a customer. */
const CustomerSession = Type.Object({ id: Id, device: Type.String(), created_at: Time, last_seen_at: Time })

/** A card or wallet saved for renewals, with the fields that its owner also sees. */
const StoredPaymentMethod = Type.Object({
  gateway: stringEnum(gatewayIds),
  brand: nullable(Type.String()),
  last4: nullable(Type.String()),
  created_at: Time,
})

/** A customer with the details for support. The customer's orders are listed by `order list`. */
export const CustomerDetails = Type.Object({
  customer: Customer,
  membership: Membership,
  methods: Type.Array(StoredPaymentMethod),
  sessions: Type.Array(CustomerSession),
  entitlements: Type.Array(CustomerEntitlement),
})
export type CustomerDetails = Static<typeof CustomerDetails>

export const searchCustomers = command({
  method: 'GET',
  path: '/api/studio/customers',
  command: 'customer find',
  args: ['keyword'],
  roles: supportRoles,
  summary: 'Finds customers by the e-mail of an account or order, an order number or an ID',
  refuses: [],
  query: Type.Object({ keyword: Type.String({ minLength: 1, maxLength: 254 }) }),
  data: Type.Object({ list: Type.Array(Customer) }),
})

export const getCustomer = command({
  method: 'GET',
  path: '/api/studio/customers/one',
  command: 'customer show',
  args: ['id'],
  roles: supportRoles,
  summary: 'Shows a customer: subscription, payment methods, sessions, entitlements',
  refuses: ['notFound'],
  query: Type.Object({ id: Id }),
  info: CustomerDetails,
})

/** An episode that a customer watched, with the saved position. */
export const WatchHistoryEntry = Type.Object({
  video_id: Id,
  title: Type.String(),
  number: Type.Integer(),
  position_ms: Milliseconds,
  duration_ms: Milliseconds,
  at: Time,
})
export type WatchHistoryEntry = Static<typeof WatchHistoryEntry>

export const listWatchHistory = command({
  method: 'GET',
  path: '/api/studio/customers/history',
  command: 'customer history',
  args: ['id'],
  roles: supportRoles,
  summary: 'Lists what a customer watched, newest first',
  refuses: [],
  query: Type.Object({ id: Id, ...pagingFields }),
  data: pageOf(WatchHistoryEntry),
})

export const signOutCustomer = command({
  method: 'POST',
  path: '/api/studio/customers/sign-out',
  command: 'customer sign-out',
  args: ['id'],
  roles: supportRoles,
  summary: 'Signs a customer out on all devices',
  refuses: ['notFound'],
  body: Type.Object({ id: Id }),
  info: Type.Object({ ended: Type.Integer() }),
})

export const deleteCustomer = command({
  method: 'DELETE',
  path: '/api/studio/customers',
  command: 'customer delete',
  args: ['id'],
  confirmationFields: ['reason'],
  roles: supportRoles,
  summary:
    'Deletes a customer: the plan ends and the data are deleted; the ledger keeps what the law requires',
  refuses: ['notFound', 'balanceNotEmpty', 'balanceRefundPending'],
  body: Type.Object({
    id: Id,
    /** Deletes the customer although the balance has paid money, which is forfeited. */
    forfeit_balance: Type.Optional(Type.Boolean()),
    reason: Reason,
  }),
  info: Type.Object({ deleted: Type.Boolean() }),
  /**
   * With `balanceNotEmpty`, `balances` lists the remaining paid money: refund its top-ups first, or set
   * `forfeit_balance`. With `balanceRefundPending`, `balances` is missing: wait until the refund of a top-up has ended.
   */
  refusalSchemas: { 409: Type.Object({ balances: Type.Optional(Type.Array(RemainingBalance)) }) },
})

export const grantEntitlement = command({
  method: 'POST',
  path: '/api/studio/entitlements',
  command: 'entitlement grant',
  args: ['customer'],
  roles: supportRoles,
  summary: 'Grants a customer access to an episode, a video, or everything if no video is given',
  refuses: ['notFound'],
  body: Type.Object({
    customer: Id,
    video_id: Type.Optional(Id),
    /** The episode number; the whole video if omitted. */
    number: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    /** The duration in days; permanent if omitted. */
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
  roles: supportRoles,
  summary: 'Revokes access; access from a plan returns when the plan renews',
  refuses: ['notFound'],
  body: Type.Object({ id: Id, reason: Reason }),
  info: Type.Object({ revoked: Type.Boolean() }),
})
