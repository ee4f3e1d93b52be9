import type { PlainRoute } from '#server/platform/http/route.ts'
import { selectAttemptByReference } from './attempt-queries.ts'
import type { BillingContext } from './billing-context.ts'

const longestToken = 128

/**
 * Where PayPal sends whoever called a payment off: a hint only (billing.md). The payment is as PayPal says, which the
 * order's page asks.
 */
export function leavePaypalRoute({ db }: Pick<BillingContext, 'db'>): PlainRoute {
  return {
    method: 'GET',
    path: '/api/webhook/payment/paypal-cancel',
    description: {
      summary: 'Comes back from PayPal without having paid',
      answers: { 303: { words: "On to the order's page, which looks what became of it" } },
    },
    async handle(request, reply) {
      const token = new URL(request.url, 'http://site').searchParams.get('token') ?? ''
      const known = token !== '' && token.length <= longestToken
      const attempt = known ? await selectAttemptByReference(db, 'paypal', token) : undefined
      const order = attempt ? `?order_id=${attempt.order_id}` : ''
      return reply.header('cache-control', 'no-store').redirect(`/order/result${order}`, 303)
    },
  }
}
