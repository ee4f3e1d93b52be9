import { storedLanguageOrDefault } from '#contract/languages.ts'
import { Fault } from '#contract/errors.ts'
import { checkEmail } from '#server/features/members/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { emailLookupKey } from '#server/platform/email-address.ts'
import { attemptKey, countAttempt } from '#server/platform/database/attempt-limits.ts'
import type { Call } from '#server/platform/http/route.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectContractOrders, selectWithdrawalRefundCents } from './withdrawal-queries.ts'
import { insertLinkRequest, selectPaidOrdersOf, takeLinkRequest } from './link-request-queries.ts'
import { formatMoney } from '#contract/money.ts'
import { makeOrderLink } from '#server/features/billing/mails/order-links.ts'
import { selectActiveSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'
import type { LinkPurpose } from '#server/features/billing/tables.ts'
import { canBeWithdrawn } from '#server/features/billing/records/withdrawal-right.ts'

type Purpose = Exclude<LinkPurpose, 'claim'>
type Request = NonNullable<Awaited<ReturnType<typeof takeLinkRequest>>>
type PaidOrder = Awaited<ReturnType<typeof selectPaidOrdersOf>>[number]

const linkLifetimeMs = 24 * 3_600_000
/** Maximum number of orders that are read per address. */
const maxOrders = 50

/**
 * Records a request for links to cancel or to withdraw. The client needs no session. Only the job `sendOrderLinks`
 * looks up the orders, so neither the response nor its duration reveals whether the address is known.
 * @throws Refusal emailInvalid with the field; Fault tooManyRequests, for known and unknown addresses; Fault badRequest
 * without an address
 */
export async function requestOrderLink(
  { db, clock, secret, limits, quotas }: BillingContext,
  call: Pick<Call, 'language' | 'ip'>,
  purpose: Purpose,
  { email, order_id }: { email?: string; order_id?: string },
): Promise<void> {
  if (email === undefined) throw new Fault('badRequest', 'secret or email is required')
  const now = clock.now()
  checkEmail(email)
  quotas.spendOrThrow('mailLinks', call.ip)
  await countAttempt(
    db,
    attemptKey(secret, `link-${purpose}`, emailLookupKey(email)),
    limits.mailLinksAccount,
    now,
  )
  const orderId = order_id?.trim() || null
  await insertLinkRequest(db, { purpose, email, order_id: orderId, language: call.language, created_at: now })
}

/**
 * Mails each requester the links for their orders. Any number of processes may run this job concurrently; each request
 * is answered once.
 */
export async function sendOrderLinks(context: BillingContext, signal?: AbortSignal): Promise<void> {
  let found = true
  while (found && !signal?.aborted) {
    found = await inTransaction(context.db, async (tx) => {
      const request = await takeLinkRequest(tx)
      if (request) await answerRequest(context, tx, request)
      return request !== undefined
    })
  }
}

async function answerRequest(context: BillingContext, tx: Tx, request: Request): Promise<void> {
  const orders = await selectPaidOrdersOf(tx, request, maxOrders)
  if (request.purpose === 'cancel') return sendCancelLinks(context, tx, request, orders)
  const withdrawableOrders = orders.filter((order) => canBeWithdrawn(order, context.clock.now()))
  for (const order of withdrawableOrders) await sendWithdrawalLink(context, tx, request, order)
  if (withdrawableOrders.length === 0 && orders[0])
    await sendWithdrawalExpiredMail(context, tx, request, orders[0])
}

/** Mails a link for each active subscription, or the end date of a subscription that is already cancelled. */
async function sendCancelLinks(
  context: BillingContext,
  tx: Tx,
  { language }: Request,
  orders: PaidOrder[],
): Promise<void> {
  const handledSubscriptionIds = new Set<string>()
  for (const order of orders) {
    if (order.subscription_id === null || handledSubscriptionIds.has(order.subscription_id)) continue
    handledSubscriptionIds.add(order.subscription_id)
    const subscription = await selectActiveSubscription(tx, order.user_id, context.clock.now())
    if (subscription?.id !== order.subscription_id || !subscription.period_ends_at) continue
    const mail = {
      to: order.address,
      language: order.language ?? language,
      timeZone: order.time_zone,
      plan: subscription,
      cents: subscription.price_cents,
      currency: subscription.currency,
      orderId: order.id,
      date: subscription.grace_ends_at ?? subscription.period_ends_at,
    }
    if (subscription.cancel_at_period_end) await sendSubscriptionMail(tx, context, 'planCancelled', mail)
    else {
      const expiresAt = linkExpiry(context)
      const link = await makeOrderLink(tx, context, { purpose: 'cancel', orderId: order.id, expiresAt })
      await sendSubscriptionMail(tx, context, 'cancelLink', mail, { link, expiresAt })
    }
  }
}

async function sendWithdrawalLink(
  context: BillingContext,
  tx: Tx,
  request: Request,
  order: PaidOrder,
): Promise<void> {
  const expiresAt = linkExpiry(context)
  const link = await makeOrderLink(tx, context, { purpose: 'withdraw', orderId: order.id, expiresAt })
  const language = mailLanguage(context, request, order)
  const contract = await selectContractOrders(tx, order)
  const refundCents = await selectWithdrawalRefundCents(
    tx,
    contract.map(({ id }) => id),
  )
  const amount = formatMoney(refundCents, order.currency, language)
  const values = { link, amount, order: order.id }
  await queueMail(tx, { to: order.address, template: 'withdrawLink', values, language, expiresAt })
}

async function sendWithdrawalExpiredMail(
  context: BillingContext,
  tx: Tx,
  request: Request,
  order: PaidOrder,
): Promise<void> {
  const values = { link: `${context.publicUrl}/refundPolicy`, order: order.id }
  const language = mailLanguage(context, request, order)
  await queueMail(tx, { to: order.address, template: 'withdrawClosed', values, language })
}

function mailLanguage({ languages }: BillingContext, request: Request, order: PaidOrder) {
  return storedLanguageOrDefault(order.language ?? request.language, languages())
}

const linkExpiry = ({ clock }: BillingContext) => new Date(clock.now().getTime() + linkLifetimeMs)
