import { createHash, ECDH } from 'node:crypto'
import type { PushAlerts, PushSubscription } from '#contract/alerts.ts'
import { Fault } from '#contract/errors.ts'
import { lockSession } from '#server/features/members/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { isPublicUrl } from '#server/platform/public-network.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { AlertsContext } from '#server/features/alerts/alerts.ts'
import type { PushKeys } from './push-keys.ts'
import {
  deleteSubscription,
  expireOtherKeySubscriptions,
  isSubscribed,
  deleteOlderSubscriptions,
  moveSubscriptions,
  saveSubscription,
  selectSubscriptions,
} from './push-queries.ts'

/** Maximum number of browsers per user with notifications; the latest are kept. */
const maxBrowsers = 10

/** Returns the id by which a browser finds its subscription. The endpoint is a secret address and is not returned by the API. */
const fingerprint = (endpoint: string) => createHash('sha256').update(endpoint).digest('base64url')

export async function loadPushAlerts(db: Db, { publicKey }: PushKeys, userId: string): Promise<PushAlerts> {
  const browsers = await selectSubscriptions(db, userId)
  // A browser subscribed with another key cannot be reached, so its notifications are off.
  const ours = browsers.filter(({ public_key }) => public_key === publicKey)
  return { public_key: publicKey, browsers: ours.map(({ id }) => id) }
}

/** The user who turns notifications on: a member with the session that they depend on, or a guest without one. */
interface Subscriber {
  userId: string
  sessionId: string | undefined
  ip: string
}

/**
 * Turns notifications on in a browser, until the member's session there ends.
 * @throws Fault badRequest if it is not a subscription of a public push service, tooManyRequests if too many come from one network; Refusal
 * signInRequired if the session has ended
 */
export async function subscribeToPush(
  { clock, pushKeys, quotas }: Pick<AlertsContext, 'clock' | 'pushKeys' | 'quotas'>,
  tx: Tx,
  { userId, sessionId, ip }: Subscriber,
  subscription: PushSubscription,
): Promise<void> {
  const { endpoint, p256dh, auth } = subscription
  if (!isPublicUrl(endpoint)) throw new Fault('badRequest', 'the endpoint is not on the internet')
  if (!isPoint(p256dh)) throw new Fault('badRequest', 'p256dh is no key')
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

/** Turns notifications off in a browser, whichever user is signed in: knowing the endpoint proves that the request is the browser's. */
export const unsubscribeFromPush = (db: Db, endpoint: string): Promise<void> =>
  deleteSubscription(db, fingerprint(endpoint))

/** Moves a guest's subscriptions to the member; the session that starts then is bound to them (`bindSubscriptions`). */
export async function mergePushSubscriptions(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await moveSubscriptions(tx, guestId, memberId)
  await deleteOlderSubscriptions(tx, memberId, maxBrowsers)
}

/** Subscriptions of another key are kept for this long, because the key may return with its APP_SECRET. */
const otherKeyRetentionMs = 30 * dayMs

/** Deletes browsers that have been subscribed only with a former key of the site for too long: no push reaches them. */
export async function deleteUnreachableSubscriptions({
  db,
  clock,
  pushKeys,
}: Pick<AlertsContext, 'db' | 'clock' | 'pushKeys'>): Promise<void> {
  const now = clock.now()
  const before = new Date(now.getTime() - otherKeyRetentionMs)
  await inTransaction(db, (tx) => expireOtherKeySubscriptions(tx, pushKeys.publicKey, now, before))
}

/** Returns whether a key is a point on the curve of the encryption; with any other key, each push would fail. */
function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}
