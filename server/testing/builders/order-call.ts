import type { createOrder } from '#contract/billing.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import type { Call } from '#server/platform/http/route.ts'

/** Returns a call that creates an order, as the HTTP layer would pass it. */
export function orderCall(userId: string, body: BodyOf<typeof createOrder>): Call<typeof createOrder> {
  return {
    query: {},
    body,
    viewer: { userId, role: 'member', isStored: true },
    language: 'en',
    idempotencyKey: undefined,
    ip: '127.0.0.1',
    userAgent: '',
    timeZone: () => undefined,
    adIds: () => ({ referrerToken: undefined, fbclid: undefined, ttclid: undefined }),
    setHeader: () => {},
    cookie: () => undefined,
    serialise: () => {
      throw new Error('an order is not serialised')
    },
  }
}
