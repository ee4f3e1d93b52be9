import type { BalanceEntry, getBalance, listBalanceEntries } from '#contract/balance.ts'
import type { LockedEpisode } from '#contract/billing.ts'
import { listLimits } from '#contract/catalog.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import type { BalanceOffer, TopUp } from '#contract/top-ups.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { readPage } from '#server/platform/read-page.ts'
import type { Db } from '#server/tables.ts'
import { loadBalance, loadBalances } from '#server/features/billing/balance/balance.ts'
import { hasEverToppedUp } from '#server/features/billing/balance/lot-queries.ts'
import { selectBalanceEntries } from '#server/features/billing/balance/entry-queries.ts'
import { selectTopUps } from '#server/features/billing/balance/top-up-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import {
  isPurchasable,
  offeredGateways,
  type PricedProduct,
} from '#server/features/billing/gateways/gateways.ts'
import { offerSavedMethod } from '#server/features/billing/payment-methods/saved-method.ts'
import { loadAutoUnlock, loadAutoUnlocks } from './auto-unlock.ts'

type BalanceContext = Pick<BillingContext, 'gateways' | 'clock' | 'isBalanceEnabled'>

/** Loads a user's balance. Includes the top-ups on sale if balances are on. @throws Refusal balanceDisabled */
export async function loadOwnBalance(
  context: BalanceContext & Pick<BillingContext, 'db'>,
  userId: string,
): Promise<ResultOf<typeof getBalance>> {
  await checkHasBalance(context, userId)
  const { db, clock, isBalanceEnabled } = context
  const topUps = isBalanceEnabled ? await listTopUps(context, db) : []
  const prices = topUps.map(priceOf)
  const saved = await offerSavedMethod(context, db, userId, prices)
  return {
    enabled: isBalanceEnabled,
    balances: await loadBalances(db, userId, clock.now()),
    top_ups: topUps,
    gateways: topUps.length > 0 ? offeredGateways(context, prices) : [],
    ...(saved ? { saved_method: saved } : {}),
    auto_unlocks: await loadAutoUnlocks(db, userId, clock.now()),
  }
}

/**
 * Refuses access to the balance while balances are off, except for users who have ever topped up.
 * @throws Refusal balanceDisabled
 */
async function checkHasBalance(
  { db, isBalanceEnabled }: Pick<BillingContext, 'db' | 'isBalanceEnabled'>,
  userId: string,
) {
  if (!isBalanceEnabled && !(await hasEverToppedUp(db, userId))) throw new Refusal('balanceDisabled')
}

const priceOf = ({ id, price_cents, currency }: TopUp): PricedProduct => ({
  productId: id,
  cents: [price_cents],
  currency,
})

/** Lists, by position, the top-ups on sale whose amount a gateway accepts. */
async function listTopUps(context: Pick<BillingContext, 'gateways'>, db: Db): Promise<TopUp[]> {
  const topUps = (await selectTopUps(db)).map(
    ({ id, price_cents, bonus_cents, bonus_days, currency }): TopUp => ({
      id,
      price_cents,
      bonus_cents,
      ...(bonus_days === null || bonus_cents === 0 ? {} : { bonus_days }),
      currency,
    }),
  )
  return topUps.filter((topUp) => isPurchasable(context, priceOf(topUp), 'top_up'))
}

/** Returns how a viewer's balance can unlock an episode; undefined while balances are off. */
export async function offerBalance(
  context: BalanceContext,
  db: Db,
  viewer: Viewer | null,
  { price, video_id }: Pick<LockedEpisode, 'price' | 'video_id'>,
): Promise<BalanceOffer | undefined> {
  if (!context.isBalanceEnabled) return undefined
  const { episode_cents, video_cents, currency } = price
  const now = context.clock.now()
  const { available_cents, bonus_cents } = viewer?.isStored
    ? await loadBalance(db, viewer.userId, currency, now)
    : { available_cents: 0, bonus_cents: 0 }
  const auto_unlock = viewer?.isStored && (await loadAutoUnlock(db, viewer.userId, video_id, now))
  const products = [
    { kind: 'episode' as const, amount_cents: episode_cents },
    { kind: 'video' as const, amount_cents: video_cents },
  ]
  const [episode, video] = products
  const cheapest = video && episode && video.amount_cents < episode.amount_cents ? video : episode
  const covers = products
    .filter(({ amount_cents }) => amount_cents <= available_cents)
    .map(({ kind }) => kind)
  const amount_cents = Math.min(episode_cents, video_cents)
  return {
    currency,
    available_cents,
    bonus_cents,
    covers,
    covers_cheapest: amount_cents <= available_cents,
    cheapest: {
      kind: cheapest?.kind ?? 'episode',
      amount_cents,
      discount_cents: Math.min(amount_cents, bonus_cents),
    },
    ...(auto_unlock ? { auto_unlock } : {}),
    top_ups: (await listTopUps(context, db)).filter((topUp) => topUp.currency === currency),
  }
}

/** Lists the changes of a user's balance, newest first. @throws Refusal balanceDisabled; Fault invalidCursor */
export async function loadBalanceEntries(
  context: Pick<BillingContext, 'db' | 'isBalanceEnabled'>,
  userId: string,
  query: { cursor?: string; limit?: number },
): Promise<ResultOf<typeof listBalanceEntries>> {
  await checkHasBalance(context, userId)
  const paging = { cursor: query.cursor, size: choosePageSize(query.limit, listLimits) }
  const { page, next_cursor } = await readPage(
    'balance',
    paging,
    (after, limit) => selectBalanceEntries(context.db, userId, after, limit),
    ({ at, id }) => [at, id],
  )
  return { list: page.map(presentEntry), next_cursor }
}

function presentEntry(row: Awaited<ReturnType<typeof selectBalanceEntries>>[number]): BalanceEntry {
  return {
    id: row.id,
    kind: row.kind,
    currency: row.currency,
    amount_cents: row.paid_cents + row.bonus_cents,
    bonus_cents: row.bonus_cents,
    at: row.at.toISOString(),
    order_id: row.order_id,
    ...(row.video_id === null ? {} : { video_id: row.video_id }),
    ...(row.episode_id === null ? {} : { episode_id: row.episode_id }),
    ...(row.number === null ? {} : { episode_number: row.number }),
  }
}
