import type { EventList, PaypalEvent } from './objects.ts'
import type { PaypalClient } from './paypal-client.ts'

const path = '/v1/notifications/webhooks-events'
const pageSize = '100'

interface EventFilter {
  from: Date
  to?: Date
  type?: string
}

/** Lists the events for our webhook in a time span, as `listEventPages` does. */
export async function* listEvents(client: PaypalClient, filter: EventFilter): AsyncGenerator<PaypalEvent> {
  for await (const page of listEventPages(client, filter)) yield* page
}

/**
 * Lists the events for our webhook in a time span, delivered or not, page by page. PayPal lists at most the last 30
 * days.
 */
export async function* listEventPages(
  client: PaypalClient,
  { from, to, type }: EventFilter,
): AsyncGenerator<PaypalEvent[]> {
  const query = new URLSearchParams({ page_size: pageSize, start_time: from.toISOString() })
  if (to) query.set('end_time', to.toISOString())
  if (type !== undefined) query.set('event_type', type)
  for (let search: string | undefined = `?${query}`; search !== undefined;) {
    const { events = [], links = [] }: EventList = await client.request({
      method: 'GET',
      path: path + search,
    })
    yield events
    const next = links.find(({ rel }) => rel === 'next')
    search = next && events.length > 0 ? new URL(next.href).search : undefined
  }
}

/** Returns the order id of a capture event. */
export function orderIdOf({ event_type, resource }: PaypalEvent): string | undefined {
  if (!event_type.startsWith('PAYMENT.CAPTURE.')) return undefined
  return resource?.supplementary_data?.related_ids?.order_id ?? undefined
}
