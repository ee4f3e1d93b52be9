import * as calls from '#contract/balance.ts'
import { requireActiveViewer } from '#server/features/members/members.ts'
import { requireViewer, route, type Route } from '#server/platform/http/route.ts'
import type { BillingContext } from './billing-context.ts'
import { autoUnlock, setAutoUnlock, stopAutoUnlock, undoAutoUnlock } from './checkout/auto-unlock.ts'
import { loadBalanceEntries, loadOwnBalance } from './checkout/load-balance.ts'
import { withIdempotencyKey } from './checkout/with-idempotency-key.ts'
import { refundBalance } from './consumer-rights/refund-balance.ts'

/** Creates the routes of the prepaid balance. Top-ups and purchases from the balance are orders (routes.ts). */
export function balanceRoutes(context: BillingContext): Route[] {
  return [
    route(calls.getBalance, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      return { info: await loadOwnBalance(context, userId) }
    }),
    route(calls.listBalanceEntries, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      return { data: await loadBalanceEntries(context, userId, call.query) }
    }),
    route(calls.refundBalance, async (call) => {
      const { userId } = requireViewer(call)
      const work = () => refundBalance(context, userId)
      return { info: await withIdempotencyKey(context, call, calls.refundBalance.path, work) }
    }),
    route(calls.setAutoUnlock, async (call) => {
      await requireActiveViewer(context, call)
      return { info: await setAutoUnlock(context, call) }
    }),
    route(calls.stopAutoUnlock, async (call) => ({ info: await stopAutoUnlock(context, call) })),
    route(calls.autoUnlock, async (call) => {
      const work = (id: string) => autoUnlock(context, call, id)
      return { info: await withIdempotencyKey(context, call, calls.autoUnlock.path, work) }
    }),
    route(calls.undoAutoUnlock, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      const undone = { userId, orderId: call.body.order_id }
      return { info: await undoAutoUnlock(context, undone, call.language) }
    }),
  ]
}
