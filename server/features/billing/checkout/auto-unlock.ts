import type {
  autoUnlock as autoUnlockCall,
  setAutoUnlock as setCall,
  stopAutoUnlock as stopCall,
} from '#contract/balance.ts'
import type { createOrder, Order } from '#contract/billing.ts'
import { Refusal } from '#contract/errors.ts'
import type { AutoUnlock } from '#contract/top-ups.ts'
import { variantCents, pricesFor, loadRunningUncached } from '#server/features/experiments/experiments.ts'
import { ensureUserRow, requireActiveViewer } from '#server/features/members/members.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  autoUnlockWindowMs,
  undoReason,
  undoDeadlineOf,
} from '#server/features/billing/balance/auto-unlock-windows.ts'
import {
  countAutomaticOrders,
  deleteAutoUnlock,
  markOrderAutomatic,
  selectAutoUnlock,
  selectAutoUnlocks,
  selectUndoneVideoIds,
  upsertAutoUnlock,
  type AutoUnlockRow,
} from '#server/features/billing/balance/auto-unlock-queries.ts'
import { hasEverToppedUp } from '#server/features/billing/balance/lot-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectEpisodeOnSale, selectVideoOnSale } from '#server/features/billing/records/product-queries.ts'
import { lockBuyer, selectOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { storeAcceptedTerms } from '#server/features/billing/records/accepted-terms-queries.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { createOrderFor } from './create-order.ts'
import { loadOrder } from './load-orders.ts'

/** Returns a user's auto-unlock settings, with the number of unlocks left for each. */
export async function loadAutoUnlocks(db: Db, userId: string, now: Date): Promise<AutoUnlock[]> {
  const rows = await selectAutoUnlocks(db, userId)
  if (rows.length === 0) return []
  const unlockCounts = await countAutomaticOrders(db, userId, new Date(now.getTime() - autoUnlockWindowMs))
  return rows.map((row) => presentAutoUnlock(row, unlockCounts))
}

/** Returns a user's auto-unlock setting for a drama; undefined if it is off. */
export async function loadAutoUnlock(
  db: Db,
  userId: string,
  videoId: string,
  now: Date,
): Promise<AutoUnlock | undefined> {
  const row = await selectAutoUnlock(db, userId, videoId)
  if (!row) return undefined
  return presentAutoUnlock(
    row,
    await countAutomaticOrders(db, userId, new Date(now.getTime() - autoUnlockWindowMs)),
  )
}

function presentAutoUnlock(row: AutoUnlockRow, unlockCounts: Map<string, number>): AutoUnlock {
  const { video_id, daily_limit, max_price_cents, currency } = row
  const remaining_today = Math.max(0, daily_limit - (unlockCounts.get(video_id) ?? 0))
  return { video_id, daily_limit, remaining_today, max_price_cents, currency }
}

/**
 * Turns on auto-unlock: the next episodes of a drama are paid from the balance, up to the current price of an episode.
 * @throws Refusal balanceDisabled; deliveryConsentRequired; notFound if the drama is not on sale; priceChanged if the
 * price differs from the shown one; balanceTooLow if the user never topped up; Fault tooManyRequests
 */
export async function setAutoUnlock(
  context: BillingContext,
  call: Call<typeof setCall>,
): Promise<AutoUnlock> {
  const { video_id, daily_limit, amount_cents, terms_text, immediate_delivery } = call.body
  const { db, clock, quotas } = context
  if (!context.isBalanceEnabled) throw new Refusal('balanceDisabled')
  if (!immediate_delivery) throw new Refusal('deliveryConsentRequired', { field: 'immediate_delivery' })
  const now = clock.now()
  return inTransaction(db, async (tx) => {
    const user_id = await ensureUserRow(context, tx, call)
    await lockBuyer(tx, user_id)
    const price = await priceOfEpisode(tx, video_id, user_id)
    if (amount_cents !== undefined && amount_cents !== price.amount_cents)
      throw new Refusal('priceChanged', price)
    if (!(await hasEverToppedUp(tx, user_id)))
      throw new Refusal('balanceTooLow', { ...price, available_cents: 0, missing_cents: price.amount_cents })
    const { hash, isNew } = await storeAcceptedTerms(tx, terms_text, now)
    if (isNew) quotas.spendOrThrow('consentTextBytes', call.ip, Buffer.byteLength(terms_text))
    const { amount_cents: max_price_cents, currency } = price
    const terms = { video_id, daily_limit, max_price_cents, currency, terms_hash: hash }
    const row = { user_id, ...terms, created_at: now }
    if (!hasSameTerms(await selectAutoUnlock(tx, user_id, video_id), row)) {
      // Auto-unlock can be turned off only after it was turned on, so this quota limits the audit events of both
      // changes.
      quotas.spendOrThrow('auditEvents', call.ip)
      await upsertAutoUnlock(tx, row)
      await writeAuditEvent(tx, { event: 'auto_unlock_enabled', userId: user_id, at: now, details: terms })
    }
    return presentAutoUnlock(
      row,
      await countAutomaticOrders(tx, user_id, new Date(now.getTime() - autoUnlockWindowMs)),
    )
  })
}

/** Returns whether the user's current setting already has the same terms. */
const hasSameTerms = (before: AutoUnlockRow | undefined, now: AutoUnlockRow): boolean =>
  before?.daily_limit === now.daily_limit &&
  before.max_price_cents === now.max_price_cents &&
  before.currency === now.currency &&
  before.terms_hash === now.terms_hash

/** Returns the price of an episode of a drama for a buyer. @throws Refusal notFound if the drama is not on sale */
async function priceOfEpisode(db: Db, videoId: string, buyer: string) {
  const video = await selectVideoOnSale(db, videoId)
  if (!video) throw new Refusal('notFound')
  const { episode_cents, currency } = video
  const variants = pricesFor(await loadRunningUncached(db), buyer, videoId)
  return { amount_cents: variantCents(variants.episode, currency, episode_cents), currency }
}

/** Turns auto-unlock of a drama off, and writes an audit event if it was on. */
export async function stopAutoUnlock(
  context: BillingContext,
  call: Call<typeof stopCall>,
): Promise<{ auto_unlocks: AutoUnlock[] }> {
  const { db, clock } = context
  const { userId } = await requireActiveViewer(context, call)
  await inTransaction(db, async (tx) => {
    await lockBuyer(tx, userId)
    await turnOffAutoUnlock(tx, userId, call.body.video_id, clock.now())
  })
  return { auto_unlocks: await loadAutoUnlocks(db, userId, clock.now()) }
}

async function turnOffAutoUnlock(tx: Tx, userId: string, videoId: string, at: Date): Promise<void> {
  if (!(await deleteAutoUnlock(tx, userId, videoId))) return
  await writeAuditEvent(tx, { event: 'auto_unlock_disabled', userId, at, details: { video_id: videoId } })
}

/**
 * Unlocks an episode automatically: creates an order that is paid from the balance, like a manual unlock.
 * @throws Refusal balanceDisabled, notFound, alreadyOwned, autoUnlockDisabled, autoUnlockLimitReached, balanceTooLow;
 * priceChanged if the price exceeds the agreed price or differs from the shown price
 */
export async function autoUnlock(
  context: BillingContext,
  call: Call<typeof autoUnlockCall>,
  orderId: string,
): Promise<Order> {
  const { episode_id, amount_cents } = call.body
  const episode = await selectEpisodeOnSale(context.db, episode_id)
  if (!episode) throw new Refusal('notFound')
  const body: Call<typeof createOrder>['body'] = {
    kind: 'episode',
    episode_id,
    gateway: 'balance',
    ...(amount_cents === undefined ? {} : { amount_cents }),
  }
  return createOrderFor(context, { ...call, body }, orderId, (tx, order) =>
    checkAutoUnlockAllowed(context, tx, order, episode.video_id),
  )
}

async function checkAutoUnlockAllowed(
  { clock }: BillingContext,
  tx: Tx,
  { id, user_id, amount_cents, currency }: OrderRow,
  videoId: string,
): Promise<void> {
  const setting = await selectAutoUnlock(tx, user_id, videoId)
  if (!setting) throw new Refusal('autoUnlockDisabled')
  if (setting.currency !== currency || amount_cents > setting.max_price_cents)
    throw new Refusal('priceChanged', { amount_cents, currency })
  const unlockCounts = await countAutomaticOrders(
    tx,
    user_id,
    new Date(clock.now().getTime() - autoUnlockWindowMs),
  )
  if ((unlockCounts.get(videoId) ?? 0) >= setting.daily_limit) throw new Refusal('autoUnlockLimitReached')
  await markOrderAutomatic(tx, id, setting)
}

/**
 * Undoes an automatic unlock: returns its price to the balance, revokes the access, and turns off auto-unlock of the
 * drama. Allowed until the undo deadline (`undoDeadlineOf`), and only once per drama in any 24 hours. Without this
 * limit, users could watch every short episode before its deadline and then undo its unlock.
 * @throws Refusal notFound if the order is another user's or not made by auto-unlock; undoTooLate, undoUsed
 */
export async function undoAutoUnlock(
  context: BillingContext,
  { userId, orderId }: { userId: string; orderId: string },
  language: Call['language'],
): Promise<Order> {
  const { db, clock } = context
  const order = await selectOrder(db, orderId)
  if (order?.user_id !== userId || !order.auto_unlock) throw new Refusal('notFound')
  const now = clock.now()
  const videoId = order.video_id ?? ''
  const onStart = async (tx: Tx) => {
    if (now > undoDeadlineOf(order)) throw new Refusal('undoTooLate')
    if ((await selectUndoneVideoIds(tx, userId, now)).has(videoId)) throw new Refusal('undoUsed')
    await turnOffAutoUnlock(tx, userId, videoId, now)
  }
  if (order.status !== 'refunded') await refundOrder(context, orderId, { reason: undoReason, onStart })
  return loadOrder(context, userId, orderId, language)
}
