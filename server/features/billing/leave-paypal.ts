import type { PlainRoute } from '#server/platform/http/route.ts'
import { selectAttempt, selectAttemptByReference, type AttemptRow } from './attempt-queries.ts'
import { isOpen } from './attempt-states.ts'
import type { BillingContext } from './billing-context.ts'
import { giveUpAttempt } from './give-up-attempt.ts'
import { recheckAttempt } from './settle-order.ts'

const longestToken = 128

/** Where PayPal sends whoever called a payment off: a hint only (billing.md, "Crash safety"), which anybody may give. */
export function leavePaypalRoute(context: BillingContext): PlainRoute {
  return {
    method: 'GET',
    path: '/api/webhook/payment/paypal-cancel',
    description: {
      summary: 'Comes back from PayPal without having paid',
      answers: { 303: { words: "On to the order's page, once it is known what became of the payment" } },
    },
    async handle(request, reply) {
      const token = new URL(request.url, 'http://site').searchParams.get('token') ?? ''
      const page = await leavePayment(context, token)
      return reply.header('cache-control', 'no-store').redirect(page, 303)
    },
  }
}

/**
 * Looks at PayPal what became of a payment: one that was approved is finished, any other called off; the order can be paid
 * another way. Done again, it changes nothing. @returns the page that shows the order
 */
export async function leavePayment(context: BillingContext, token: string): Promise<string> {
  const known = token !== '' && token.length <= longestToken
  const attempt = known ? await selectAttemptByReference(context.db, 'paypal', token) : undefined
  if (!attempt) return '/order/result'
  // The janitor finishes what fails here.
  await leave(context, attempt).catch((error: unknown) =>
    context.log.error({ err: error, attempt: attempt.id }, 'a payment that was left could not be looked up'),
  )
  return `/order/result?order_id=${attempt.order_id}`
}

async function leave(context: BillingContext, attempt: AttemptRow): Promise<void> {
  if (!isOpen(attempt.status)) return
  await recheckAttempt(context, attempt)
  const current = await selectAttempt(context.db, attempt.id)
  if (current?.status === 'requires_action') await giveUpAttempt(context, current)
}
