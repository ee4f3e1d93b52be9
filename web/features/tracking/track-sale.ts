import type { Order } from '#contract/billing.ts'
import { saveRecord, readRecord } from '#web/lib/storage.ts'
import { track } from '#web/lib/tracking/track.ts'

const key = 'tracked_orders'
const maxTracked = 20

/** Reports a paid order to the pixels. Each order is reported once per browser, even if its page is opened again. */
export function trackSale(order: Pick<Order, 'id' | 'status' | 'kind' | 'amount_cents' | 'currency'>): void {
  const tracked = readRecord<string[]>(key) ?? []
  if (order.status !== 'paid' || tracked.includes(order.id)) return
  saveRecord(key, [...tracked.slice(1 - maxTracked), order.id])
  track({
    name: order.kind === 'plan' ? 'Subscribe' : 'Purchase',
    eventId: order.id,
    cents: order.amount_cents,
    currency: order.currency,
  })
}
