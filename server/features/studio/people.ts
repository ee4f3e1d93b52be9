import {
  deletePerson,
  findPeople,
  getPerson,
  grantEntitlement,
  listWatched,
  revokeEntitlement as revokeCall,
  signOutPerson,
  type Person,
} from '#contract/studio/people.ts'
import { Refusal } from '#contract/errors.ts'
import { orderIdPrefix } from '#contract/order-number.ts'
import {
  findCustomerOf,
  findCustomers,
  findOrderEmail,
  listMethodsOf,
  membershipOf,
} from '#server/features/billing/billing.ts'
import {
  giveEntitlement,
  listEntitlementsOf,
  listHistory,
  revokeEntitlement,
} from '#server/features/library/library.ts'
import {
  deleteOnRequest,
  findByEmail,
  lockAccount,
  isGuest,
  listSessionsOf,
  loadAccount,
  signOutEverywhere,
  type KnownAccount,
} from '#server/features/members/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { changes, reads, type Command } from './command.ts'

/** Commands for users and their support. The trail names users by id only, since their accounts may be deleted. */
export const personCommands: Command[] = [
  reads(findPeople, async ({ db }, { who }) => {
    const ids = await idsOf(db, who.trim())
    const found = await Promise.all(ids.map((id) => loadAccount(db, id).catch(orNobody)))
    const people = new Map(found.flatMap((person) => (person ? [[person.id, person] as const] : [])))
    return { data: { list: await Promise.all([...people.values()].map((row) => present(db, row))) } }
  }),

  reads(getPerson, async (context, { id }, { language }) => {
    const { db } = context
    const person = await loadAccount(db, id)
    const userId = person.id
    const [membership, methods, sessions, entitlements] = await Promise.all([
      membershipOf(context, db, { userId, kept: true }, language),
      listMethodsOf(db, userId),
      listSessionsOf(context, userId),
      listEntitlementsOf(db, userId, language),
    ])
    return { info: { person: await present(db, person), membership, methods, sessions, entitlements } }
  }),

  reads(listWatched, async (context, { id: userId, ...query }, { language }) => {
    const viewer = { userId, role: 'member', kept: true } as const
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

  changes(signOutPerson, async (context, tx, { id }) => {
    const ended = await signOutEverywhere(context, tx, id)
    return { answer: { info: { ended } }, change: { subject: id, after: { ended } } }
  }),

  changes(deletePerson, async (context, tx, { id, reason, forfeit_balance = false }) => {
    await deleteOnRequest(context, tx, id, forfeit_balance)
    const after = { deleted: true, ...(forfeit_balance ? { forfeit_balance } : {}), reason }
    return { answer: { info: { deleted: true } }, change: { subject: id, after } }
  }),

  changes(grantEntitlement, async ({ clock }, tx, { person, video_id, number, days, reason }) => {
    await lockAccount(tx, person)
    const startsAt = clock.now()
    const endsAt = days === undefined ? null : new Date(startsAt.getTime() + days * dayMs)
    const id = await giveEntitlement(tx, {
      userId: person,
      reason,
      videoId: video_id,
      number,
      startsAt,
      endsAt,
    })
    const ends_at = endsAt?.toISOString() ?? null
    return {
      answer: { info: { id, ends_at } },
      change: { subject: person, after: { entitlement: id, video_id, number, ends_at, reason } },
    }
  }),

  changes(revokeCall, async ({ clock }, tx, { id, reason }) => {
    const revoked = await revokeEntitlement(tx, id, clock.now(), reason)
    if (!revoked) throw new Refusal('notFound')
    const { user_id, ...before } = revoked
    return {
      answer: { info: { revoked: true } },
      change: { subject: user_id, before: { entitlement: id, ...before }, after: { revoked: true, reason } },
    }
  }),
]

/** Finds the persons by the address of an account or of orders, by an order, or by id. */
async function idsOf(db: Db, who: string): Promise<string[]> {
  if (who.includes('@')) {
    const [account, buyers] = await Promise.all([findByEmail(db, who), findCustomers(db, who)])
    return [...(account === undefined ? [] : [account]), ...buyers]
  }
  const order = who.startsWith('ord_') ? who : orderIdPrefix(who)
  const buyer = order === undefined ? who : await findCustomerOf(db, order)
  return buyer === undefined ? [] : [buyer]
}

function orNobody(error: unknown): undefined {
  if (error instanceof Refusal && error.reason === 'notFound') return undefined
  throw error
}

async function present(db: Db, row: KnownAccount): Promise<Person> {
  return {
    id: row.id,
    role: row.deleted_at !== null ? 'deleted' : isGuest(row) ? 'guest' : 'member',
    email: row.email,
    email_verified: row.email_verified_at !== null,
    order_email: row.email === null ? await findOrderEmail(db, row.id) : null,
    display_name: row.display_name,
    language: row.language,
    created_at: row.created_at.toISOString(),
    member_since: row.member_since?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
  }
}
