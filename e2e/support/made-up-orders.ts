import type { Page } from '@playwright/test'
import { orderStatuses, type Order } from '#contract/billing.ts'

/** Orders in states that the sandbox does not bring about, or not in time. */
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

/** Where the page shows the order that `answerWith` makes up. */
export const madeUpResult = `/order/result?order_id=${order.id}`

/** What the page is told of its order from now on: a status, or nothing at all. */
export async function answerWith(page: Page): Promise<(status: Status | null) => void> {
  let now: Status | null = null
  await page.route(/\/api\/payment\?.*order_id=/, (route) =>
    now ? route.fulfill({ json: { code: 200, info: { ...order, status: now } } }) : route.abort(),
  )
  return (status) => void (now = status)
}

/** Lets a paid order lead to its own page, which otherwise stays for a moment only. */
export const stayAtResult = (page: Page) =>
  page.addInitScript((path) => sessionStorage.setItem('return_path', path), madeUpResult)

/** Answers the list of orders with one of every status, and passes on what else comes with it. */
export const listEveryStatus = (page: Page) =>
  page.route(/\/api\/payment(\?(?!.*order_id=).*)?$/, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = (await response.json()) as { data: object }
    const list = orderStatuses.map((status, i) => ({
      ...order,
      id: `ord_${i + 1}`,
      status,
      ...paidOf(status),
    }))
    await route.fulfill({ response, json: { ...rest, data: { ...data, list, next_cursor: null } } })
  })

function paidOf(status: Status): Partial<Order> {
  const isPaid = !['pending', 'failed', 'cancelled', 'expired'].includes(status)
  return isPaid ? { paid_at: order.created_at } : {}
}
