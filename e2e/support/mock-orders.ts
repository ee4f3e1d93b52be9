import type { Page } from '@playwright/test'
import { orderStatuses, type Order } from '#contract/billing.ts'

// Mocks orders in statuses that the sandbox cannot produce, or not quickly enough.

type Status = Order['status']

const order: Order = {
  id: 'ord_1',
  status: 'pending',
  kind: 'plan',
  plan_id: 'plan_1',
  amount_cents: 999,
  refunded_cents: 0,
  currency: 'USD',
  gateway: 'sandbox',
  created_at: '2026-11-20T12:00:00Z',
  expires_at: '2026-11-20T13:00:00Z',
  next: { type: 'none' },
}

/** Path of the page for the order of `mockOrderStatus`. */
export const mockOrderPath = `/order/result?order_id=${order.id}`

/** Mocks the order of `mockOrderPath`. @returns a function that sets its status; without a status, requests fail */
export async function mockOrderStatus(page: Page): Promise<(status: Status | null) => void> {
  let now: Status | null = null
  await page.route(/\/api\/payment\?.*order_id=/, (route) =>
    now ? route.fulfill({ json: { code: 200, info: { ...order, status: now } } }) : route.abort(),
  )
  return (status) => void (now = status)
}

/** Makes the page of a paid order redirect to itself, so that it stays open. */
export const setReturnPath = (page: Page) =>
  page.addInitScript((path) => sessionStorage.setItem('return_path', path), mockOrderPath)

/** Mocks the list of orders with an order in each status. The rest of the response is unchanged. */
export const mockOrderList = (page: Page) =>
  page.route(/\/api\/payment(\?(?!.*order_id=).*)?$/, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = (await response.json()) as { data: object }
    const list = orderStatuses.map((status, i) => ({
      ...order,
      id: `ord_${i + 1}`,
      status,
      ...paidFieldsOf(status),
    }))
    await route.fulfill({ response, json: { ...rest, data: { ...data, list, next_cursor: null } } })
  })

function paidFieldsOf(status: Status): Partial<Order> {
  const isPaid = !['pending', 'failed', 'cancelled', 'expired'].includes(status)
  return isPaid ? { paid_at: order.created_at } : {}
}
