import { keptLanguage } from '#contract/languages.ts'
import { Fault } from '#contract/errors.ts'
import { checkEmail } from '#server/features/members/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { foldEmail } from '#server/platform/email-address.ts'
import { keyFor, takeTurn } from '#server/platform/database/limits.ts'
import type { Call } from '#server/platform/http/route.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectContract, selectWithdrawnCents } from './withdrawal-queries.ts'
import { insertLinkRequest, selectPaidOrdersOf, takeLinkRequest } from './link-request-queries.ts'
import { moneyWords } from '#contract/money.ts'
import { makeOrderLink } from '#server/features/billing/mails/order-links.ts'
import { selectActiveSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'
import type { LinkPurpose } from '#server/features/billing/tables.ts'
import { mayBeWithdrawn } from '#server/features/billing/records/withdrawal-right.ts'

type Purpose = Exclude<LinkPurpose, 'claim'>
type Request = NonNullable<Awaited<ReturnType<typeof takeLinkRequest>>>
type PaidOrder = Awaited<ReturnType<typeof selectPaidOrdersOf>>[number]

const linkMs = 24 * 3_600_000
/** Maximum number of orders that are read per address. */
const mostOrders = 50

/**
 * Records that a client without a session wants to cancel or to withdraw. Only `answerLinkRequests` looks up the orders, so the
 * response and its time do not reveal whether the address is known.
 * @throws Refusal emailInvalid with the field; Fault tooMany, for addresses known and unknown alike; badRequest without one
 */
export async function askForLink(
  { db, clock, secret, limits, quotas }: BillingContext,
  call: Pick<Call, 'language' | 'ip'>,
  purpose: Purpose,
  { email, order_id }: { email?: string; order_id?: string },
): Promise<void> {
  if (email === undefined) throw new Fault('badRequest', `${purpose} or email is needed`)
  const now = clock.now()
  checkEmail(email)
  quotas.take('mailLinks', call.ip)
  await takeTurn(db, keyFor(secret, `link-${purpose}`, foldEmail(email)), limits.resetAccount, now)
  const orderId = order_id?.trim() || null
  await insertLinkRequest(db, { purpose, email, order_id: orderId, language: call.language, created_at: now })
}

/** Mails each requester the links for their orders. Any number of processes may run it; each request is answered once. */
export async function answerLinkRequests(context: BillingContext, signal?: AbortSignal): Promise<void> {
  let found = true
  while (found && !signal?.aborted) {
    found = await inTransaction(context.db, async (tx) => {
      const request = await takeLinkRequest(tx)
      if (request) await answerOne(context, tx, request)
      return request !== undefined
    })
  }
}

async function answerOne(context: BillingContext, tx: Tx, request: Request): Promise<void> {
  const orders = await selectPaidOrdersOf(tx, request, mostOrders)
  if (request.purpose === 'cancel') return answerLeavers(context, tx, request, orders)
  const open = orders.filter((order) => mayBeWithdrawn(order, context.clock.now()))
  for (const order of open) await sendWithdrawal(context, tx, request, order)
  if (open.length === 0 && orders[0]) await sayTooLate(context, tx, request, orders[0])
}

/** Mails a link for each active plan, or the end date of a plan that is already cancelled. */
async function answerLeavers(
  context: BillingContext,
  tx: Tx,
  { language }: Request,
  orders: PaidOrder[],
): Promise<void> {
  const answered = new Set<string>()
  for (const order of orders) {
    if (order.subscription_id === null || answered.has(order.subscription_id)) continue
    answered.add(order.subscription_id)
    const live = await selectActiveSubscription(tx, order.user_id, context.clock.now())
    if (live?.id !== order.subscription_id || !live.period_ends_at) continue
    const told = {
      to: order.address,
      language: order.language ?? language,
      timeZone: order.time_zone,
      plan: live,
      cents: live.price_cents,
      currency: live.currency,
      orderId: order.id,
      date: live.grace_ends_at ?? live.period_ends_at,
    }
    if (live.cancel_at_period_end) await sendSubscriptionMail(tx, context, 'planCancelled', told)
    else {
      const expiresAt = linkEnd(context)
      const link = await makeOrderLink(tx, context, { purpose: 'cancel', orderId: order.id, expiresAt })
      await sendSubscriptionMail(tx, context, 'cancelLink', told, { link, expiresAt })
    }
  }
}

async function sendWithdrawal(
  context: BillingContext,
  tx: Tx,
  request: Request,
  order: PaidOrder,
): Promise<void> {
  const expiresAt = linkEnd(context)
  const link = await makeOrderLink(tx, context, { purpose: 'withdraw', orderId: order.id, expiresAt })
  const language = languageOf(context, request, order)
  const contract = await selectContract(tx, order)
  const left = await selectWithdrawnCents(
    tx,
    contract.map(({ id }) => id),
  )
  const amount = moneyWords(left, order.currency, language)
  const values = { link, amount, order: order.id }
  await queueMail(tx, { to: order.address, template: 'withdrawLink', values, language, expiresAt })
}

async function sayTooLate(
  context: BillingContext,
  tx: Tx,
  request: Request,
  order: PaidOrder,
): Promise<void> {
  const values = { link: `${context.publicUrl}/refundPolicy`, order: order.id }
  const language = languageOf(context, request, order)
  await queueMail(tx, { to: order.address, template: 'withdrawClosed', values, language })
}

function languageOf({ languages }: BillingContext, request: Request, order: PaidOrder) {
  return keptLanguage(order.language ?? request.language, languages())
}

const linkEnd = ({ clock }: BillingContext) => new Date(clock.now().getTime() + linkMs)
