import { dayMs } from '#server/platform/clock.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import type { AttemptEntry, Books, EntitlementEntry, OrderEntry, SubscriptionEntry } from './read-books.ts'
import { checkChange } from './check-transitions.ts'
import { ensure } from './ensure.ts'
import type { Model } from './model.ts'

const sum = (cents: readonly number[]) => cents.reduce((total, each) => total + each, 0)

/** Checks the rules that must hold after every step, even while webhook events are pending. */
export function checkBooks(model: Model): void {
  const { books } = model
  checkLedger(books)
  for (const attempt of books.attempts) checkAttempt(books, attempt)
  for (const order of books.orders) checkOrder(books, order)
  checkSubscriptions(books)
  checkNoDoublePurchase(model)
  checkCharges(model)
  books.changes.forEach(checkChange)
}

// The ledger

function checkLedger({ lines }: Books): void {
  const transactions = Map.groupBy(lines, ({ transaction_id }) => transaction_id)
  for (const [id, entries] of transactions)
    ensure(sum(entries.map(({ cents }) => cents)) === 0, 'a ledger transaction adds up to zero', {
      id,
      entries,
    })
}

const succeededRefunds = ({ refunds }: Books, attemptId: string) =>
  refunds.filter(({ attempt_id, status }) => attempt_id === attemptId && status === 'succeeded')

/** Returns the amount of an attempt's payment that the gateway still holds, according to the ledger. */
function ledgerCents({ lines, refunds }: Books, attemptId: string): number {
  const ofAttempt = new Set(refunds.filter(({ attempt_id }) => attempt_id === attemptId).map(({ id }) => id))
  const own = lines.filter(({ account, transaction_id: id }) => {
    if (!account.startsWith('gateway:')) return false
    const [kind, of = ''] = id.split(':')
    return kind === 'charge' || kind === 'dispute' ? of === attemptId : ofAttempt.has(of)
  })
  return sum(own.map(({ cents }) => cents))
}

/** Returns the account to which an attempt's payment was posted. */
const debitAccountOf = ({ lines }: Books, attemptId: string) =>
  lines.find(({ transaction_id, cents }) => transaction_id === `charge:${attemptId}` && cents < 0)?.account

/** Returns the attempt that paid an order. */
function saleAttemptOf(books: Books, orderId: string): AttemptEntry | undefined {
  const sales = books.attempts.filter(
    ({ id, order_id }) => order_id === orderId && debitAccountOf(books, id)?.startsWith('sales:'),
  )
  ensure(sales.length <= 1, 'an order is paid by at most one payment', sales)
  return sales[0]
}

function paymentOf({ payments }: Books, attemptId: string): Payment | undefined {
  const own = payments.filter((payment) => payment.attemptId === attemptId)
  ensure(own.length <= 1, 'an attempt has at most one payment', own)
  return own[0]
}

// Attempts and orders

function checkAttempt(books: Books, attempt: AttemptEntry): void {
  const { id, order_id, status } = attempt
  const payment = paymentOf(books, id)
  const order = books.orders.find((one) => one.id === order_id)
  const isCharged = payment?.status === 'succeeded'
  if (status === 'succeeded') ensure(isCharged, 'a succeeded attempt was paid', { attempt, payment })
  if (status === 'failed' || status === 'cancelled')
    ensure(!isCharged, 'an attempt without success is unpaid', { attempt, payment })
  const source = debitAccountOf(books, id)
  ensure((source !== undefined) === (status === 'succeeded'), 'every payment is in the ledger', attempt)
  if (!order || source === undefined) return
  const known = order.amount_cents - sum(succeededRefunds(books, id).map(({ amount_cents }) => amount_cents))
  ensure(
    ledgerCents(books, id) === known - attempt.dispute_debited_cents,
    'the ledger agrees with the refunds and disputes that are known',
    { attempt, ledger: ledgerCents(books, id), known },
  )
  if (source === 'refunds_payable') {
    const returnRefunds = books.refunds.filter(({ attempt_id }) => attempt_id === id)
    ensure(
      returnRefunds.some(({ amount_cents }) => amount_cents === order.amount_cents),
      'a payment that buys nothing is refunded',
      { order, attempt, back: returnRefunds },
    )
  }
}

const unpaid = ['pending', 'failed', 'cancelled', 'expired']
export const isPaidOrder = ({ status }: OrderEntry) => status === 'paid' || status === 'partially_refunded'

function checkOrder(books: Books, order: OrderEntry): void {
  const sale = saleAttemptOf(books, order.id)
  const orderEntitlements = books.entitlements.filter(({ order_id }) => order_id === order.id)
  if (!sale) {
    ensure(unpaid.includes(order.status), 'an order without a payment has no paid status', order)
    ensure(orderEntitlements.length === 0, 'an unpaid order gives no entitlement', {
      order,
      rights: orderEntitlements,
    })
    return
  }
  ensure(order.status === statusFor(books, order, sale), "an order's status is correct", { order, sale })
  const [right, ...others] = orderEntitlements
  ensure(right !== undefined && others.length === 0, 'a paid order gives one entitlement', {
    order,
    rights: orderEntitlements,
  })
  ensure(right.revoked === !isPaidOrder(order), 'only a paid order has an active entitlement', {
    order,
    right,
  })
  ensure(right.user_id === order.user_id, "an entitlement belongs to the order's user", { order, right })
  checkEntitlement(books, order, right)
}

function statusFor(books: Books, { amount_cents }: OrderEntry, sale: AttemptEntry): string {
  const refunded = sum(succeededRefunds(books, sale.id).map((refund) => refund.amount_cents))
  if (refunded >= amount_cents) return 'refunded'
  if (sale.dispute_status === 'open' || sale.dispute_status === 'lost') return 'charged_back'
  return refunded > 0 ? 'partially_refunded' : 'paid'
}

export const graceMs = (days: number) => Math.min(3 * dayMs, (days * dayMs) / 2)

function checkEntitlement(books: Books, order: OrderEntry, right: EntitlementEntry): void {
  if (order.kind !== 'plan') {
    const { video_id, episode_id, ends_at, source } = right
    const fits = video_id === order.video_id && episode_id === order.episode_id && source === 'purchase'
    ensure(fits && ends_at === null, 'a purchase entitles to its product, permanently', { order, right })
    return
  }
  const days = order.period_days ?? 0
  const end = right.starts_at + days * dayMs
  // After an outage, the grace period begins with a renewal attempt. The attempts are also found by their keys, because
  // their order may have become the first order of a new subscription since.
  const renewals = `renew:${order.subscription_id}:${(order.period_no ?? 0) + 1}:`
  const next = nextOrderOf(books, order)?.id
  const renewalAttempts = books.attempts.filter(
    ({ order_id, key }) => order_id === next || key.startsWith(renewals),
  )
  const latest = Math.max(end, ...renewalAttempts.map(({ started_at }) => started_at)) + graceMs(days)
  const ends = right.ends_at ?? Infinity
  ensure(ends >= end, 'a period lasts at least as long as it was paid for', { order, right })
  ensure(ends <= latest, 'a period ends no later than its grace period', { order, right, latest })
  ensure(right.video_id === null && right.episode_id === null, 'a plan unlocks everything', right)
}

const nextOrderOf = ({ orders }: Books, { subscription_id, period_no }: OrderEntry) =>
  orders.find((one) => one.subscription_id === subscription_id && one.period_no === (period_no ?? 0) + 1)

// Subscriptions

function checkSubscriptions(books: Books): void {
  const live = books.subscriptions.filter(({ status }) => status === 'active' || status === 'past_due')
  const subscriberIds = new Set(live.map(({ user_id }) => user_id))
  ensure(subscriberIds.size === live.length, 'a user has at most one live subscription', live)
  for (const subscription of live) checkLive(books, subscription)
  for (const order of books.orders) checkPeriod(books, order)
}

function checkLive(books: Books, subscription: SubscriptionEntry): void {
  const { id, period_no, period_ends_at, cancelled, has_method, status } = subscription
  const order = books.orders.find((one) => one.subscription_id === id && one.period_no === period_no)
  ensure(order !== undefined && isPaidOrder(order), 'a live subscription has a paid period', {
    subscription,
    order,
  })
  const right = books.entitlements.find(({ order_id }) => order_id === order.id)
  ensure(right?.revoked === false, 'a live subscription gives an entitlement', { subscription, right })
  if (status !== 'active' || period_ends_at === null) return
  const renews = !cancelled && has_method
  const expected = period_ends_at + (renews ? graceMs(order.period_days ?? 0) : 0)
  ensure(right.ends_at === expected, 'only a period that renews has a grace period', {
    subscription,
    right,
  })
}

/**
 * Checks that a renewal continues the previous period. If it was paid after the grace period, its period must begin at
 * the payment.
 */
function checkPeriod(books: Books, order: OrderEntry): void {
  const next = nextOrderOf(books, order)
  const [right, nextRight] = [order, next].map((one) =>
    books.entitlements.find(({ order_id }) => order_id === one?.id),
  )
  if (order.subscription_id === null || !next || !right || !nextRight || next.paid_at === null) return
  const days = order.period_days ?? 0
  const end = right.starts_at + days * dayMs
  const start = next.paid_at <= end + graceMs(days) ? end : next.paid_at
  ensure(nextRight.starts_at === start, 'a renewal continues the last period, unless it was late', {
    order,
    next,
    right,
    nextRight,
  })
}

// Purchases are unique

/** Checks that no user has paid twice for the same period or product. */
function checkNoDoublePurchase(model: Model): void {
  const { books } = model
  const paidOrders = books.orders.filter(
    (order) => isPaidOrder(order) && !wasRefundedOrDisputed(books, order),
  )
  const buyers = new Map(model.orders.map(({ id, buyer }) => [id, buyer]))
  for (const one of paidOrders)
    for (const other of paidOrders) {
      if (one.id >= other.id || one.user_id !== other.user_id) continue
      // A guest and a member may both have bought the same product before the guest signed in.
      const [buyer, otherBuyer] = [buyers.get(one.id), buyers.get(other.id)]
      if (model.signedIn && (buyer === undefined || buyer !== otherBuyer)) continue
      ensure(!coversSameEpisode(books, one, other), 'no product is paid for twice', { one, other })
    }
}

/**
 * Returns whether the money of an order or of its subscription was returned, even if only temporarily. The user may
 * then buy again.
 */
export function wasRefundedOrDisputed(
  { changes, orders }: Books,
  { id, subscription_id }: OrderEntry,
): boolean {
  const own = orders.filter(
    (one) => one.id === id || (subscription_id !== null && one.subscription_id === subscription_id),
  )
  return own.some((one) =>
    changes.some(
      (change) => change.id === one.id && (change.is === 'refunded' || change.is === 'charged_back'),
    ),
  )
}

function coversSameEpisode({ entitlements }: Books, one: OrderEntry, other: OrderEntry): boolean {
  if (one.kind === 'plan' && other.kind === 'plan') {
    const [first, second] = [one, other].map((order) => {
      const start = entitlements.find(({ order_id }) => order_id === order.id)?.starts_at ?? 0
      return { start, end: start + (order.period_days ?? 0) * dayMs }
    })
    return first !== undefined && second !== undefined && first.start < second.end && second.start < first.end
  }
  if (one.kind === 'plan' || other.kind === 'plan') return false
  if (one.kind === other.kind) return one.episode_id === other.episode_id
  // The owner of an episode may buy the whole video, but the owner of a video must not buy an episode of it.
  const [episode, video] = one.kind === 'episode' ? [one, other] : [other, one]
  return (episode.paid_at ?? 0) > (video.paid_at ?? 0)
}

// Charges

export const isRenewal = ({ key }: AttemptEntry) => key.startsWith('renew:')

/** Checks that no user is charged without a request or a subscription. */
function checkCharges(model: Model): void {
  const { books, before } = model
  const known = new Set(before.payments.map(({ reference }) => reference))
  for (const payment of books.payments) {
    const attempt = books.attempts.find(({ id }) => id === payment.attemptId)
    const order = books.orders.find(({ id }) => id === payment.orderId)
    ensure(attempt !== undefined && order !== undefined, 'every payment is for an order', payment)
    ensure(payment.amountCents === order.amount_cents, 'a payment has the order’s amount', { payment, order })
    if (isRenewal(attempt) && !known.has(payment.reference)) checkRenewal(model, order, attempt)
  }
  for (const { id, presses } of model.orders) {
    const own = books.attempts.filter((attempt) => attempt.order_id === id && !isRenewal(attempt))
    ensure(own.length <= presses, 'no order has more attempts than requests', { presses, own })
  }
}

/** Checks a new charge of a saved payment method. */
function checkRenewal({ books, cancelled }: Model, order: OrderEntry, attempt: AttemptEntry): void {
  ensure(!cancelled.has(order.user_id), 'a cancelled plan is not charged', { order, attempt })
  // If a renewal is paid only after its subscription has ended, its order becomes period 0, the first period of a new
  // subscription.
  if (order.period_no === 0) return
  const last = books.orders.find((one) => nextOrderOf(books, one)?.id === order.id)
  const right = books.entitlements.find(({ order_id }) => order_id === last?.id)
  ensure(last !== undefined && right !== undefined, 'a renewal follows a period', order)
  const end = right.starts_at + (last.period_days ?? 0) * dayMs
  ensure(attempt.started_at >= end, 'a renewal is charged at the end of the period', { order, attempt, end })
  const settledAttempts = books.attempts.filter(
    (one) => one.order_id === order.id && isRenewal(one) && one.decline_code !== 'not_received',
  )
  ensure(settledAttempts.length <= 3, 'a period is charged three times at most', settledAttempts)
}
