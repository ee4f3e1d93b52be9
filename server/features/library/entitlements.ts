import type { Entitlement } from '#contract/library.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './entitlement-queries.ts'
import type { EntitlementRow } from './entitlement-queries.ts'

export type { EntitlementRow } from './entitlement-queries.ts'

/** Entitlements of one viewer for one video at one moment. */
export interface VideoEntitlements {
  /** Returns whether an entitlement covers the episode. Free episodes need no entitlement. */
  covers(episodeId: string): boolean
  /** Returns the entitlement that covers the episode. A purchase takes precedence over a subscription. */
  entitlementFor(episodeId: string): EntitlementRow | undefined
}

/** Loads a viewer's entitlements for a video once, for any number of its episodes. */
export async function loadVideoEntitlements(
  db: Db,
  userId: string,
  videoId: string,
  now: Date,
): Promise<VideoEntitlements> {
  const rows = await queries.selectEntitlements(db, userId, videoId, now)
  const entitlementFor = (episodeId: string) => {
    const covering = rows.filter(({ episode_id }) => episode_id === null || episode_id === episodeId)
    return covering.find(({ source }) => source === 'purchase') ?? covering[0]
  }
  return { entitlementFor, covers: (episodeId) => entitlementFor(episodeId) !== undefined }
}

/** The entitlements of a viewer who has none. */
export const noEntitlements: VideoEntitlements = { covers: () => false, entitlementFor: () => undefined }

/**
 * Grants the entitlement of an order, in the transaction that marks the order as paid. Granting it again changes
 * nothing. With `episodeId`, grants one episode. With only `videoId`, grants the whole video. With neither, grants
 * everything.
 */
export async function grantEntitlement(
  tx: Tx,
  grant: {
    userId: string
    orderId: string
    source: 'purchase' | 'subscription'
    videoId?: string | null
    episodeId?: string | null
    startsAt: Date
    endsAt?: Date | null
  },
): Promise<void> {
  await queries.insertEntitlement(tx, {
    id: newId('ent'),
    user_id: grant.userId,
    order_id: grant.orderId,
    source: grant.source,
    video_id: grant.videoId ?? null,
    episode_id: grant.episodeId ?? null,
    starts_at: grant.startsAt,
    ends_at: grant.endsAt ?? null,
  })
}

/**
 * Changes when the entitlement of a subscription's order ends. This is necessary after a renewal or cancellation, and
 * for a grace period.
 */
export async function moveEntitlementEnd(tx: Tx, orderId: string, endsAt: Date): Promise<void> {
  await queries.setEntitlementEnd(tx, orderId, endsAt)
}

/** Moves the entitlements of these orders to another user. */
export async function moveEntitlements(tx: Tx, orderIds: readonly string[], to: string): Promise<void> {
  await queries.setEntitlementOwner(tx, orderIds, to)
}

/** Revokes the entitlements of one order. */
export async function revokeEntitlements(tx: Tx, orderId: string, at: Date): Promise<void> {
  await queries.setRevoked(tx, orderId, at)
}

/**
 * Restores the revoked entitlements of an order, with their original end. Entitlements that an operator revoked remain
 * revoked.
 */
export async function restoreEntitlements(tx: Tx, orderId: string): Promise<void> {
  await queries.setRevoked(tx, orderId, null)
}

export function presentEntitlement(row: EntitlementRow): Entitlement {
  return {
    id: row.id,
    source: row.source,
    ...(row.video_id ? { video_id: row.video_id } : {}),
    ...(row.episode_id ? { episode_id: row.episode_id } : {}),
    starts_at: row.starts_at.toISOString(),
    ...(row.ends_at ? { ends_at: row.ends_at.toISOString() } : {}),
  }
}
