import type { AdClickIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import { selectAttribution, upsertTouch } from './attribution-queries.ts'
import { hasConsent, type LoadConsents, type LockConsent } from './consent.ts'
import { maxTokenLength } from './funnel-step-queries.ts'
import type { OrderAttribution, Touch } from './tables.ts'

export interface AttributionContext {
  loadConsents: LoadConsents
  lockConsent: LockConsent
  /** Returns the id of the user with this referral code, if any. members/feature.ts implements it. */
  findReferrer(db: Db, code: string): Promise<string | undefined>
  /** Deletes from a user's orders the data that requires consent to marketing. billing/feature.ts implements it. */
  deleteOrderClickIds(tx: Tx, userId: string): Promise<void>
}

/**
 * Stores the touch of a call: the ids with which the user arrived. The referrer token is always stored. Click ids are
 * stored only with consent to marketing. The user's own referral code is ignored. The user must have a row.
 */
export async function recordTouch(
  context: AttributionContext,
  tx: Tx,
  userId: string,
  ids: AdClickIds,
  at: Date,
): Promise<void> {
  await recordFirstLink(context, tx, userId, ids, at)
  const touch = await readTouch(context, tx, userId, ids)
  if (isEmpty(touch)) return
  const attribution = await selectAttribution(tx, userId)
  if (attribution && isSame(attribution.last_touch, touch)) return
  // Locks the consent, so that it cannot be withdrawn before the touch is stored.
  const allowedTouch = filterByConsent(touch, hasClickIds(touch) && (await context.lockConsent(tx, userId)))
  const { referrer_token: token, ...clickIds } = allowedTouch
  const isOwnCode = token !== undefined && (await context.findReferrer(tx, token)) === userId
  const touchToStore = isOwnCode ? clickIds : allowedTouch
  if (!isEmpty(touchToStore)) await upsertTouch(tx, userId, touchToStore, at)
}

/**
 * Stores the guest's first link, which the guest's token or cookie contains, as the first touch. Stores nothing if this
 * call has the same link, or if a touch is already stored.
 */
async function recordFirstLink(
  context: AttributionContext,
  tx: Tx,
  userId: string,
  { firstReferrerToken, referrerToken }: AdClickIds,
  at: Date,
): Promise<void> {
  if (
    firstReferrerToken === undefined ||
    firstReferrerToken === referrerToken ||
    (await selectAttribution(tx, userId))
  )
    return
  await recordTouch(
    context,
    tx,
    userId,
    { referrerToken: firstReferrerToken, fbclid: undefined, ttclid: undefined },
    at,
  )
}

async function readTouch(
  { loadConsents }: AttributionContext,
  tx: Tx,
  userId: string,
  { referrerToken, fbclid, ttclid }: AdClickIds,
): Promise<Touch> {
  const token =
    isText(referrerToken) && referrerToken.length <= maxTokenLength ? { referrer_token: referrerToken } : {}
  const clickIds = { ...(isText(fbclid) ? { fbclid } : {}), ...(isText(ttclid) ? { ttclid } : {}) }
  if (isEmpty(clickIds) || !(await hasConsent(loadConsents, tx, userId))) return token
  return { ...token, ...clickIds }
}

/** Returns whether PostgreSQL can store a text as JSON. It cannot store NUL and lone surrogates. */
function isText(value: string | undefined): value is string {
  return value !== undefined && value.isWellFormed() && !value.includes('\0')
}

function isEmpty(touch: Touch): boolean {
  return Object.keys(touch).length === 0
}

function hasClickIds({ fbclid, ttclid }: Touch): boolean {
  return fbclid !== undefined || ttclid !== undefined
}

function isSame(a: Touch, b: Touch): boolean {
  return a.referrer_token === b.referrer_token && a.fbclid === b.fbclid && a.ttclid === b.ttclid
}

/**
 * Returns an order's attribution: the last touch, the first touch if it differs, and the member whose referral code was
 * used. Must be called when the order is created, after the call's own touch was stored and the buyer was locked. Then
 * a later withdrawal of consent waits until the order is stored, and deletes the order's click ids too
 * (`deleteOrderClickIds`).
 */
export async function attributionForOrder(
  context: AttributionContext,
  tx: Tx,
  userId: string,
  userAgent: string,
): Promise<OrderAttribution> {
  const consent = await hasConsent(context.loadConsents, tx, userId)
  const attribution = await selectAttribution(tx, userId)
  const last = filterByConsent(attribution?.last_touch ?? {}, consent)
  const first = filterByConsent(attribution?.first_touch ?? {}, consent)
  const sameAsLast = isSame(first, last)
  const referrer =
    last.referrer_token === undefined ? undefined : await context.findReferrer(tx, last.referrer_token)
  // The user may have followed their own referral link as a guest, before signing in.
  if (referrer === userId) delete last.referrer_token
  return {
    ...last,
    ...(referrer !== undefined && referrer !== userId ? { referrer_user_id: referrer } : {}),
    ...(consent && userAgent !== '' ? { user_agent: userAgent.slice(0, 512) } : {}),
    ...(attribution && !isEmpty(first) && !sameAsLast
      ? { first: { ...first, at: attribution.first_at.toISOString() } }
      : {}),
  }
}

/** Returns an order's attribution if only the referrer token is known. */
export async function attributionForToken(
  { findReferrer }: Pick<AttributionContext, 'findReferrer'>,
  tx: Tx,
  userId: string,
  token: string,
): Promise<OrderAttribution> {
  const referrer = await findReferrer(tx, token)
  if (referrer === userId) return {}
  return { referrer_token: token, ...(referrer === undefined ? {} : { referrer_user_id: referrer }) }
}

function filterByConsent({ referrer_token, fbclid, ttclid }: Touch, consent: boolean): Touch {
  return {
    ...(referrer_token === undefined ? {} : { referrer_token }),
    ...(consent && fbclid !== undefined ? { fbclid } : {}),
    ...(consent && ttclid !== undefined ? { ttclid } : {}),
  }
}
