import { createHash, ECDH } from 'node:crypto'
import type { PushAlerts, PushSubscription } from '#contract/alerts.ts'
import { Fault } from '#contract/errors.ts'
import { holdSession } from '#server/features/members/members.ts'
import { isPublicUrl } from '#server/platform/public-network.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { PushKeys } from './push-keys.ts'
import {
  deleteSubscription,
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
  return { public_key: publicKey, browsers: browsers.map(({ id }) => id) }
}

/** Who turns notifications on: a member with the session that they hang on, a guest without one. */
interface Subscriber {
  userId: string
  sessionId: string | undefined
}

/**
 * Turns notifications on in a browser, for as long as the member's session there. @throws Fault badRequest for what is no
 * subscription of a push service on the internet; Refusal signInFirst where the session has ended
 */
export async function startPush(
  tx: Tx,
  { userId, sessionId }: Subscriber,
  given: PushSubscription,
  now: Date,
): Promise<void> {
  const { endpoint, p256dh, auth } = given
  if (!isPublicUrl(endpoint)) throw new Fault('badRequest', 'the endpoint is not on the internet')
  if (!isPoint(p256dh)) throw new Fault('badRequest', 'p256dh is no key')
  if (sessionId !== undefined) await holdSession(tx, sessionId)
  const whose = { user_id: userId, session_id: sessionId ?? null }
  await saveSubscription(tx, { id: fingerprint(endpoint), ...whose, endpoint, p256dh, auth, created_at: now })
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

/** Whether a key is a point of the curve that pushes are encrypted by; with any other, each push would fail. */
function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}
