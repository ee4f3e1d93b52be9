import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { Caption } from '#server/features/media/tables.ts'
import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import type { ClaimedAsset } from '#server/features/media/ingest/asset-queries.ts'
import type { TranscodeResult } from '#server/features/media/ingest/convert/transcode.ts'
import { reasonColumns, type UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

export type Claim = Pick<ClaimedAsset, 'id' | 'attempt'>

/** Thrown if another worker has claimed the asset, because this worker was considered dead. */
export class ClaimLost extends Error {
  override name = 'ClaimLost'
  constructor(id: string) {
    super(`Asset ${id} was claimed by another worker.`)
  }
}

/**
 * State machine of an asset: uploaded → processing → ready | failed, processing → uploaded, and failed → uploaded on a
 * requested retry. Each transition has one function. It refuses an asset that is in another state or was claimed by
 * another worker. If an import finds a failed file again, it creates a new asset.
 */

/**
 * Claims the next asset (uploaded → processing) and holds its lock on this connection. Returns undefined if no asset
 * waits.
 */
export async function claimNext(
  connection: Db,
  assetIds?: readonly string[],
): Promise<ClaimedAsset | undefined> {
  return queries.claimNext(connection, assetIds)
}

/**
 * Marks an asset as ready (processing → ready). Keeps the row locked until the transaction ends.
 * @returns the asset's captions
 * @throws ClaimLost
 */
export async function markReady(
  tx: Tx,
  claim: Claim,
  result: TranscodeResult,
  now: Date,
): Promise<Caption[]> {
  const { width, height, durationMs, hasAudio, notes } = result
  const values = {
    width,
    height,
    duration_ms: durationMs,
    has_audio: hasAudio,
    notes: JSON.stringify(notes),
    ready_at: now,
    reason: null,
    reason_details: null,
  }
  const folder = assetFiles.folder(claim)
  return (await transition(tx, claim, { state: 'ready', progress: 100, folder, ...values })).captions
}

/**
 * Checks that the claim is still valid.
 * @throws ClaimLost if another worker has claimed the asset
 */
export async function assertStillClaimed(db: Db, claim: Claim): Promise<void> {
  if (!(await queries.isStillClaimed(db, claim))) throw new ClaimLost(claim.id)
}

/**
 * Marks an asset as failed (processing → failed), with the reason.
 * @throws ClaimLost
 */
export async function markFailed(db: Db, claim: Claim, error: UnusableFile, now: Date): Promise<void> {
  await transition(db, claim, { state: 'failed', ...reasonColumns(error), failed_at: now })
}

/**
 * Returns a worker's asset to the queue (processing → uploaded), and stores its number of failures if given.
 * @throws ClaimLost
 */
export async function requeue(db: Db, claim: Claim, failures?: number): Promise<void> {
  await transition(db, claim, { state: 'uploaded', progress: 0, failures })
}

/**
 * Requeues all assets whose worker has died (processing → uploaded).
 * @returns their ids
 */
export async function requeueAbandoned(db: Db): Promise<string[]> {
  return inTransaction(db, (tx) => queries.requeueAbandoned(tx))
}

/**
 * Requeues a failed asset for a retry (failed → uploaded).
 * @returns false if the asset is in another state, or its original was deleted
 */
export async function retryFailed(tx: Tx, id: string): Promise<boolean> {
  return queries.requeueFailed(tx, id)
}

async function transition(db: Db, claim: Claim, changes: queries.AssetChanges) {
  const moved = await queries.updateAssetState(db, claim, 'processing', changes)
  if (!moved) throw new ClaimLost(claim.id)
  return moved
}
