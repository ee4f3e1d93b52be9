import { createHash, ECDH } from 'node:crypto'
import type { PushAlerts, PushSubscription } from '#contract/alerts.ts'
import { Fault } from '#contract/errors.ts'
import { holdSession } from '#server/features/members/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { isPublicUrl } from '#server/platform/public-network.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { AlertsContext } from '#server/features/alerts/alerts.ts'
import type { PushKeys } from './push-keys.ts'
import {
  deleteSubscription,
  forgetOtherKeys,
  isSubscribed,
  keepLatestSubscriptions,
  moveSubscriptions,
  saveSubscription,
  selectSubscriptions,
} from './push-queries.ts'

/** So many browsers of a person get notifications; the latest count. */
const mostBrowsers = 10

/** By what a browser finds its subscription again: its endpoint alone, as a secret address, stays out of answers. */
const fingerprint = (endpoint: string) => createHash('sha256').update(endpoint).digest('base64url')

export async function loadPushAlerts(db: Db, { publicKey }: PushKeys, userId: string): Promise<PushAlerts> {
  const browsers = await selectSubscriptions(db, userId)
  // No push reaches a browser that knows another key: there notifications are off.
  const ours = browsers.filter(({ public_key }) => public_key === publicKey)
  return { public_key: publicKey, browsers: ours.map(({ id }) => id) }
}

/** Who turns notifications on: a member with the session that they hang on, a guest without one. */
interface Subscriber {
  userId: string
  sessionId: string | undefined
  ip: string
}

/**
 * Turns notifications on in a browser, for as long as the member's session there. @throws Fault badRequest for what is no
 * subscription of a push service on the internet, tooMany for a network that turns on too many; Refusal signInFirst where the session
 * has ended
 */
export async function startPush(
  { clock, pushKeys, quotas }: Pick<AlertsContext, 'clock' | 'pushKeys' | 'quotas'>,
  tx: Tx,
  { userId, sessionId, ip }: Subscriber,
  given: PushSubscription,
): Promise<void> {
  const { endpoint, p256dh, auth } = given
  if (!isPublicUrl(endpoint)) throw new Fault('badRequest', 'the endpoint is not on the internet')
  if (!isPoint(p256dh)) throw new Fault('badRequest', 'p256dh is no key')
  if (sessionId !== undefined) await holdSession(tx, sessionId)
  const id = fingerprint(endpoint)
  if (!(await isSubscribed(tx, id))) quotas.take('push', ip)
  await saveSubscription(tx, {
    id,
    user_id: userId,
    session_id: sessionId ?? null,
    endpoint,
    p256dh,
    auth,
    public_key: pushKeys.publicKey,
    other_key_since: null,
    created_at: clock.now(),
  })
  await keepLatestSubscriptions(tx, userId, mostBrowsers)
}

/** Turns notifications off in a browser, whoever is signed in there: who knows the endpoint is that browser. */
export const stopPush = (db: Db, endpoint: string): Promise<void> =>
  deleteSubscription(db, fingerprint(endpoint))

/** What a guest had turned on stays on for the member they became; the session that begins then holds it (`bindSubscriptions`). */
export async function mergePush(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await moveSubscriptions(tx, guestId, memberId)
  await keepLatestSubscriptions(tx, memberId, mostBrowsers)
}

/** A key may come back with its APP_SECRET; the subscriptions of one that has not for so long are over. */
const otherKeyMs = 30 * dayMs

/** Forgets the browsers that know none but an old key of the site: no push reaches them. */
export async function forgetUnreachable({
  db,
  clock,
  pushKeys,
}: Pick<AlertsContext, 'db' | 'clock' | 'pushKeys'>): Promise<void> {
  const now = clock.now()
  const before = new Date(now.getTime() - otherKeyMs)
  await inTransaction(db, (tx) => forgetOtherKeys(tx, pushKeys.publicKey, now, before))
}

/** Whether a key is a point of the curve that pushes are encrypted by; with any other, each push would fail. */
function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}
