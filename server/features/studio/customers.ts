import {
  deleteCustomer,
  searchCustomers,
  getCustomer,
  grantEntitlement,
  listWatchHistory,
  revokeEntitlement as revokeCall,
  signOutCustomer,
  type Customer,
} from '#contract/studio/customers.ts'
import { Refusal } from '#contract/errors.ts'
import { orderIdPrefixes } from '#contract/order-number.ts'
import {
  findCustomerByOrder,
  findCustomersByEmail,
  findLatestOrderEmail,
  listPaymentMethods,
  loadMembership,
} from '#server/features/billing/billing.ts'
import {
  grantFreeEntitlement,
  listEntitlementsOfUser,
  listHistory,
  revokeEntitlement,
} from '#server/features/library/library.ts'
import {
  deleteUserAsOperator,
  findUserIdByEmail,
  lockAccount,
  isGuest,
  listUserSessions,
  loadAdminAccount,
  signOutEverywhere,
  type AdminAccount,
} from '#server/features/members/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { transactionalCommand, readCommand, type Command } from './define-command.ts'

/**
 * Commands for customers and their support. The audit log is permanent and accounts can be deleted, so an entry
 * contains only the customer's id.
 */
export const customerCommands: Command[] = [
  readCommand(searchCustomers, async ({ db }, { keyword }) => {
    const customerIds = await findCustomerIds(db, keyword.trim())
    const found = await Promise.all(customerIds.map((id) => loadAdminAccount(db, id).catch(ignoreNotFound)))
    const people = new Map(found.flatMap((customer) => (customer ? [[customer.id, customer] as const] : [])))
    return { data: { list: await Promise.all([...people.values()].map((row) => presentCustomer(db, row))) } }
  }),

  readCommand(getCustomer, async (context, { id }, { language }) => {
    const { db } = context
    const account = await loadAdminAccount(db, id)
    const userId = account.id
    const [membership, methods, sessions, entitlements] = await Promise.all([
      loadMembership(context, db, { userId, isStored: true }, language),
      listPaymentMethods(db, userId),
      listUserSessions(context, userId),
      listEntitlementsOfUser(db, userId, language),
    ])
    return {
      info: { customer: await presentCustomer(db, account), membership, methods, sessions, entitlements },
    }
  }),

  readCommand(listWatchHistory, async (context, { id: userId, ...query }, { language }) => {
    const viewer = { userId, role: 'member', isStored: true } as const
    const page = await listHistory(context, viewer, query, language, context.clock.now())
    const list = page.list.map(({ video, episode, position_ms, at }) => ({
      video_id: video.id,
      title: video.title,
      number: episode.number,
      position_ms,
      duration_ms: episode.duration_ms,
      at,
    }))
    return { data: { list, next_cursor: page.next_cursor } }
  }),

  transactionalCommand(signOutCustomer, async (context, tx, { id }) => {
    const ended = await signOutEverywhere(context, tx, id)
    return { answer: { info: { ended } }, change: { subject: id, after: { ended } } }
  }),

  transactionalCommand(deleteCustomer, async (context, tx, { id, reason, forfeit_balance = false }) => {
    await deleteUserAsOperator(context, tx, id, forfeit_balance)
    const after = { deleted: true, ...(forfeit_balance ? { forfeit_balance } : {}), reason }
    return { answer: { info: { deleted: true } }, change: { subject: id, after } }
  }),

  transactionalCommand(
    grantEntitlement,
    async ({ clock }, tx, { customer, video_id, number, days, reason }) => {
      await lockAccount(tx, customer)
      const startsAt = clock.now()
      const endsAt = days === undefined ? null : new Date(startsAt.getTime() + days * dayMs)
      const id = await grantFreeEntitlement(tx, {
        userId: customer,
        reason,
        videoId: video_id,
        number,
        startsAt,
        endsAt,
      })
      const ends_at = endsAt?.toISOString() ?? null
      return {
        answer: { info: { id, ends_at } },
        change: { subject: customer, after: { entitlement: id, video_id, number, ends_at, reason } },
      }
    },
  ),

  transactionalCommand(revokeCall, async ({ clock }, tx, { id, reason }) => {
    const revoked = await revokeEntitlement(tx, id, clock.now(), reason)
    if (!revoked) throw new Refusal('notFound')
    const { user_id, ...before } = revoked
    return {
      answer: { info: { revoked: true } },
      change: { subject: user_id, before: { entitlement: id, ...before }, after: { revoked: true, reason } },
    }
  }),
]

/** Finds customers by the e-mail address of an account or of orders, by an order id, or by a user id. */
async function findCustomerIds(db: Db, searchText: string): Promise<string[]> {
  if (searchText.includes('@')) {
    const [account, buyers] = await Promise.all([
      findUserIdByEmail(db, searchText),
      findCustomersByEmail(db, searchText),
    ])
    return [...(account === undefined ? [] : [account]), ...buyers]
  }
  const orderIds = orderIdPrefixes(searchText)
  const buyer = orderIds.length === 0 ? searchText : await findCustomerByOrder(db, orderIds)
  return buyer === undefined ? [] : [buyer]
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof Refusal && error.reason === 'notFound') return undefined
  throw error
}

async function presentCustomer(db: Db, row: AdminAccount): Promise<Customer> {
  return {
    id: row.id,
    role: row.deleted_at !== null ? 'deleted' : isGuest(row) ? 'guest' : 'member',
    email: row.email,
    email_verified: row.email_verified_at !== null,
    order_email: row.email === null ? await findLatestOrderEmail(db, row.id) : null,
    display_name: row.display_name,
    language: row.language,
    created_at: row.created_at.toISOString(),
    member_since: row.member_since?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
  }
}
