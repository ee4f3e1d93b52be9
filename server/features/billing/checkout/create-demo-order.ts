import type { createOrder } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { exchangeCard } from '#server/features/billing/gateways/sandbox/card-tokens.ts'
import { payOrder } from '#server/features/billing/payments/pay-order.ts'
import { createOrderFor } from './create-order.ts'

/** The loopback address, because demo users have no IP address. */
const ip = '127.0.0.1'
const testCard = { number: '4242424242424242', expiry: '12 / 40', cvv: '123' }

/**
 * Creates and pays an order for a demo user: from the balance, or with a test card of the sandbox. Idempotent per order
 * id.
 * @throws Refusal as in `createOrderFor` and `payOrder`
 */
export async function createDemoOrder(
  context: BillingContext,
  { userId, orderId }: { userId: string; orderId: string },
  body: BodyOf<typeof createOrder>,
): Promise<void> {
  const order = await createOrderFor(
    context,
    {
      body,
      viewer: { userId, role: 'visitor', isStored: false },
      language: 'en',
      idempotencyKey: undefined,
      ip,
      userAgent: '',
      timeZone: () => undefined,
      adIds: () => ({ referrerToken: undefined, fbclid: undefined, ttclid: undefined }),
      setHeader: () => {},
      cookie: () => undefined,
    },
    orderId,
  )
  if (order.status !== 'pending') return
  const card = await exchangeCard(context, testCard)
  if (card.ok) await payOrder(context, userId, order.id, { ip, token: card.token })
}
