import { Refusal } from '#contract/errors.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import type { CustomerEntitlement } from '#contract/studio/orders.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  insertGrantedEntitlement,
  revokeEntitlementById,
  selectVideoOrEpisode,
  selectEntitlementsOfUser,
  selectEntitlementsOfOrder,
  type AdminEntitlementRow,
} from './admin-entitlement-queries.ts'

const maxShown = 200

/** Lists an order's entitlements for operators, including revoked ones. */
export async function listEntitlementsOfOrder(
  db: Db,
  orderId: string,
  language: Language,
): Promise<CustomerEntitlement[]> {
  return (await selectEntitlementsOfOrder(db, orderId)).map((row) =>
    presentCustomerEntitlement(row, language),
  )
}

/** Lists a user's entitlements for operators, including expired and revoked ones. */
export async function listEntitlementsOfUser(
  db: Db,
  userId: string,
  language: Language,
): Promise<CustomerEntitlement[]> {
  return (await selectEntitlementsOfUser(db, userId, maxShown)).map((row) =>
    presentCustomerEntitlement(row, language),
  )
}

interface FreeGrant {
  userId: string
  reason: string
  /** The video that the entitlement covers; undefined for everything. */
  videoId: string | undefined
  /** The number of the only episode that it covers; undefined for the whole video. */
  number: number | undefined
  startsAt: Date
  endsAt: Date | null
}

/**
 * Grants a free entitlement to one episode, a whole video, or everything (like a subscription).
 * @returns its id
 * @throws Refusal notFound if the video or episode does not exist
 */
export async function grantFreeEntitlement(tx: Tx, grant: FreeGrant): Promise<string> {
  const id = newId('ent')
  await insertGrantedEntitlement(tx, {
    id,
    user_id: grant.userId,
    order_id: null,
    grant_reason: grant.reason,
    source: grant.videoId === undefined ? 'subscription' : 'purchase',
    ...(await findGrantTarget(tx, grant)),
    starts_at: grant.startsAt,
    ends_at: grant.endsAt,
    revoked_at: null,
  })
  return id
}

async function findGrantTarget(tx: Tx, { videoId, number }: FreeGrant) {
  if (videoId === undefined) return { video_id: null, episode_id: null }
  const found = await selectVideoOrEpisode(tx, videoId, number)
  if (!found) throw new Refusal('notFound')
  return { video_id: videoId, episode_id: found.episode_id }
}

/**
 * Revokes one entitlement, whatever its source. It stays revoked if the status of its order changes later.
 * @returns its user and what it covers; undefined if no such entitlement exists or an operator has already revoked it
 */
export function revokeEntitlement(tx: Tx, id: string, at: Date, reason: string) {
  return revokeEntitlementById(tx, id, at, reason)
}

function presentCustomerEntitlement(row: AdminEntitlementRow, language: Language): CustomerEntitlement {
  return {
    id: row.id,
    source: row.source,
    order_id: row.order_id,
    reason: row.grant_reason,
    title: row.titles ? textInLanguage(row.titles, language) : null,
    number: row.number,
    starts_at: row.starts_at.toISOString(),
    ends_at: row.ends_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    revocation_reason: row.revocation_reason,
  }
}
