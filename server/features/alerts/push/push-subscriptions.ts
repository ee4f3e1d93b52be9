import { createHash, ECDH } from 'node:crypto'
import type { PushAlerts, PushSubscription } from '#contract/alerts.ts'
import { Fault } from '#contract/errors.ts'
import { lockSession } from '#server/features/members/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import { runInBatches, type BatchOptions } from '#server/platform/database/run-in-batches.ts'
import { isPublicUrl } from '#server/platform/public-network.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { AlertsContext } from '#server/features/alerts/alerts.ts'
import type { PushKeys } from './vapid-keys.ts'
import {
  clearOutdated,
  deleteOutdated,
  deleteSubscription,
  isSubscribed,
  markOutdated,
  deleteOlderSubscriptions,
  moveSubscriptions,
  saveSubscription,
  selectSubscriptions,
} from './push-queries.ts'

/** Maximum number of subscribed browsers per user. The oldest are deleted first. */
const maxBrowsers = 10

/**
 * Returns a subscription's id, by which the browser recognizes its own subscription. The API does not return endpoints,
 * because each is a secret address.
 */
const fingerprint = (endpoint: string) => createHash('sha256').update(endpoint).digest('base64url')

export async function loadPushAlerts(db: Db, { publicKey }: PushKeys, userId: string): Promise<PushAlerts> {
  const browsers = await selectSubscriptions(db, userId)
  // A subscription made with another public key cannot be reached, so its notifications count as off.
  const ours = browsers.filter(({ public_key }) => public_key === publicKey)
  return { public_key: publicKey, browsers: ours.map(({ id }) => id) }
}

/** The user who turns notifications on. A member's subscription ends with `sessionId`; a guest has no session. */
interface Subscriber {
  userId: string
  sessionId: string | undefined
  ip: string
}

/**
 * Turns notifications on in a browser. A member's notifications in that browser end with the session.
 * @throws Fault badRequest if the endpoint is not public or the key is invalid; Fault tooManyRequests if one network
 * adds too many; Refusal signInRequired if the session has ended
 */
export async function subscribeToPush(
  { clock, pushKeys, quotas }: Pick<AlertsContext, 'clock' | 'pushKeys' | 'quotas'>,
  tx: Tx,
  { userId, sessionId, ip }: Subscriber,
  subscription: PushSubscription,
): Promise<void> {
  const { endpoint, p256dh, auth } = subscription
  if (!isPublicUrl(endpoint)) throw new Fault('badRequest', 'the endpoint is not a public https address')
  if (!isPoint(p256dh)) throw new Fault('badRequest', 'p256dh is not a public key on the curve P-256')
  if (sessionId !== undefined) await lockSession(tx, sessionId)
  const id = fingerprint(endpoint)
  if (!(await isSubscribed(tx, id))) quotas.spendOrThrow('pushSubscriptions', ip)
  await saveSubscription(tx, {
    id,
    user_id: userId,
    session_id: sessionId ?? null,
    endpoint,
    p256dh,
    auth,
    public_key: pushKeys.publicKey,
    key_outdated_since: null,
    created_at: clock.now(),
  })
  await deleteOlderSubscriptions(tx, userId, maxBrowsers)
}

/** Turns notifications off in a browser. The user is not checked, because only that browser knows the endpoint. */
export const unsubscribeFromPush = (db: Db, endpoint: string): Promise<void> =>
  deleteSubscription(db, fingerprint(endpoint))

/** Moves a guest's subscriptions to a member. At sign-in, `bindSubscriptions` then binds them to the new session. */
export async function mergePushSubscriptions(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await moveSubscriptions(tx, guestId, memberId)
  await deleteOlderSubscriptions(tx, memberId, maxBrowsers)
}

/**
 * Subscriptions made with another public key are stored for this long. During this time, the operator may restore the
 * former APP_SECRET.
 */
const otherKeyRetentionMs = 30 * dayMs

/**
 * Deletes subscriptions that a changed public key has made unreachable for longer than `otherKeyRetentionMs`. Works in
 * batches, because a changed key concerns all subscriptions.
 */
export async function deleteUnreachableSubscriptions(
  { db, clock, pushKeys: { publicKey } }: Pick<AlertsContext, 'db' | 'clock' | 'pushKeys'>,
  options: BatchOptions = {},
): Promise<void> {
  const now = clock.now()
  const before = new Date(now.getTime() - otherKeyRetentionMs)
  await runInBatches(db, (tx, limit) => clearOutdated(tx, publicKey, limit), options)
  await runInBatches(db, (tx, limit) => markOutdated(tx, publicKey, now, limit), options)
  await runInBatches(db, (tx, limit) => deleteOutdated(tx, publicKey, before, limit), options)
}

/** Returns whether a key is a point on the P-256 curve. With any other key, the encryption of each push would fail. */
function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}
