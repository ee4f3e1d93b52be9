import { Refusal } from '#contract/errors.ts'
import { inLanguage, type Language } from '#contract/languages.ts'
import type { CustomerEntitlement } from '#contract/studio/orders.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  insertGranted,
  revokeOne,
  selectGood,
  selectEntitlementsOfUser,
  selectEntitlementsOfOrder,
  type AdminEntitlementRow,
} from './admin-entitlement-queries.ts'

const mostShown = 200

/** Lists an order's entitlements for operators, including revoked ones. */
export async function listEntitlementsOfOrder(
  db: Db,
  orderId: string,
  language: Language,
): Promise<CustomerEntitlement[]> {
  return (await selectEntitlementsOfOrder(db, orderId)).map((row) => present(row, language))
}

/** Lists a user's entitlements for operators, including expired and revoked ones. */
export async function listEntitlementsOf(
  db: Db,
  userId: string,
  language: Language,
): Promise<CustomerEntitlement[]> {
  return (await selectEntitlementsOfUser(db, userId, mostShown)).map((row) => present(row, language))
}

interface Gift {
  userId: string
  reason: string
  /** Everything if omitted. */
  videoId: string | undefined
  /** Number of one episode; the whole video if omitted. */
  number: number | undefined
  startsAt: Date
  endsAt: Date | null
}

/**
 * Grants a free entitlement to one episode, a whole video, or everything; the last works like a subscription. @returns its id
 * @throws Refusal notFound if the video or episode does not exist
 */
export async function giveEntitlement(tx: Tx, gift: Gift): Promise<string> {
  const id = newId('ent')
  await insertGranted(tx, {
    id,
    user_id: gift.userId,
    order_id: null,
    granted_for: gift.reason,
    source: gift.videoId === undefined ? 'subscription' : 'purchase',
    ...(await findGood(tx, gift)),
    starts_at: gift.startsAt,
    ends_at: gift.endsAt,
    revoked_at: null,
  })
  return id
}

async function findGood(tx: Tx, { videoId, number }: Gift) {
  if (videoId === undefined) return { video_id: null, episode_id: null }
  const found = await selectGood(tx, videoId, number)
  if (!found) throw new Refusal('notFound')
  return { video_id: videoId, episode_id: found.episode_id }
}

/**
 * Revokes one entitlement permanently, whatever its source and the later state of its order. @returns its user; undefined if it
 * does not exist or was revoked before
 */
export function revokeEntitlement(tx: Tx, id: string, at: Date, reason: string) {
  return revokeOne(tx, id, at, reason)
}

function present(row: AdminEntitlementRow, language: Language): CustomerEntitlement {
  return {
    id: row.id,
    source: row.source,
    order_id: row.order_id,
    reason: row.granted_for,
    title: row.titles ? inLanguage(row.titles, language) : null,
    number: row.number,
    starts_at: row.starts_at.toISOString(),
    ends_at: row.ends_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    revoked_for: row.revoked_for,
  }
}
