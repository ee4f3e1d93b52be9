import type { Membership } from '#contract/members.ts'
import { dayMs } from '#server/platform/clock.ts'
import { isPaidOrder, isRenewal, wasRefundedOrDisputed } from './check-books.ts'
import { ensure } from './ensure.ts'
import type { Model } from './model.ts'
import type { Books, EpochMs, OrderEntry, SubscriptionEntry } from './read-books.ts'

/**
 * Returns whether the user paid for another plan after the period of this subscription had ended. After an outage, this
 * may happen before the site attempts the renewal.
 */
function isReplaced({ orders }: Books, { id, user_id, period_ends_at }: SubscriptionEntry): boolean {
  const others = orders.filter((order) => order.user_id === user_id && order.subscription_id !== id)
  return others.some(({ kind, paid_at }) => kind === 'plan' && (paid_at ?? 0) >= (period_ends_at ?? Infinity))
}

/** Checks that each ended or past-due subscription has a reason for its status. */
export function checkEndedSubscriptions(model: Model): void {
  const { books, hadFaults, mergedSubscriptions } = model
  if (hadFaults) return
  for (const subscription of books.subscriptions) {
    const { id, status, cancelled, period_no } = subscription
    const own = books.orders.filter(({ subscription_id }) => subscription_id === id)
    const next = own.find((order) => order.period_no === period_no + 1)
    const renewalAttempts = books.attempts.filter(({ order_id }) => order_id === next?.id)
    const wasDue = books.changes.some((change) => change.id === id && change.is === 'past_due')
    const refused = renewalAttempts.some((attempt) => isRenewal(attempt) && attempt.status === 'failed')
    if (wasDue && status === 'past_due')
      ensure(refused, 'a subscription is past due after a refused charge', {
        subscription,
        tries: renewalAttempts,
      })
    if (status !== 'ended') continue
    const isReturned = own.some((order) => wasRefundedOrDisputed(books, order))
    ensure(
      cancelled || isReturned || mergedSubscriptions || wasDue || isReplaced(books, subscription),
      'a subscription ends for a reason',
      subscription,
    )
  }
}

interface Access {
  userId: string
  now: EpochMs
  covers(episodeId: string): boolean
  membership: Membership
}

/** Checks that a user can play exactly what they have paid for. */
export function checkAccess(
  { books, lockedEpisodeIds }: Model,
  { userId, now, covers, membership }: Access,
): void {
  const paidOrders = books.orders.filter((order) => order.user_id === userId && isPaidOrder(order))
  const entitlementOf = (order: OrderEntry) =>
    books.entitlements.find(({ order_id }) => order_id === order.id)
  const plans = paidOrders.filter(({ kind }) => kind === 'plan')
  const isPaidNow = plans.some((order) => {
    const start = entitlementOf(order)?.starts_at ?? Infinity
    return start <= now && now < start + (order.period_days ?? 0) * dayMs
  })
  const isOpenNow = plans.some((order) => (entitlementOf(order)?.ends_at ?? 0) > now)
  for (const episode of lockedEpisodeIds) {
    const isBought = paidOrders.some(
      ({ kind, episode_id }) => kind === 'video' || (kind === 'episode' && episode_id === episode),
    )
    if (isBought || isPaidNow)
      ensure(covers(episode), 'a user who has paid can play', { episode, held: paidOrders })
    else if (!isOpenNow)
      ensure(!covers(episode), 'a user who has not paid cannot play', { episode, held: paidOrders })
  }
  if (membership.state === 'subscribed')
    ensure(isOpenNow, 'a subscriber can play everything', { membership, held: paidOrders })
  const isOver = (order: OrderEntry) =>
    books.subscriptions.some(({ id, status }) => id === order.subscription_id && status === 'ended')
  if (membership.state === 'free' && isOpenNow)
    ensure(plans.some(isOver), 'a user whose plan gives access is subscribed, unless the plan ended early', {
      membership,
      held: paidOrders,
    })
}
