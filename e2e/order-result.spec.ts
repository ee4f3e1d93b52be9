import type { Page } from '@playwright/test'
import type { Order } from '#contract/billing.ts'
import { expect, test } from './fixtures.ts'

// What the browser writes of an answer that does not come.
test.use({ forgiven: /net::ERR_FAILED/ })

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

/** What the page is told of its order from now on: a status, or nothing at all. */
async function answerWith(page: Page): Promise<(status: Order['status'] | null) => void> {
  let now: Order['status'] | null = null
  await page.route(/\/api\/payment\?/, (route) =>
    now ? route.fulfill({ json: { code: 200, info: { ...order, status: now } } }) : route.abort(),
  )
  return (status) => void (now = status)
}

test('an answer that got lost is not taken for an order that does not exist, and the order is asked for again', async ({
  page,
}) => {
  const answer = await answerWith(page)
  await page.goto('/order/result?order_id=ord_1')
  await expect(page.locator('main').getByRole('alert')).toContainText('This could not be loaded.')
  await expect(page.getByText('There is no such order.')).toHaveCount(0)
  answer('pending')
  await expect(page.getByText('Waiting for the payment…')).toBeVisible()
  answer(null)
  await expect(page.locator('main').getByRole('alert')).toContainText('This could not be loaded.')
  answer('paid')
  await expect(page.getByText('Paid. Taking you back…')).toBeVisible()
})

test('an order that does not exist is said to be none', async ({ page }) => {
  await page.goto('/order/result?order_id=ord_none')
  await expect(page.getByText('There is no such order.')).toBeVisible()
})

test('the way back is gone once it was taken: another order does not lead there', async ({ page }) => {
  const answer = await answerWith(page)
  answer('paid')
  await page.goto('/commonQuestions')
  await page.evaluate(() => sessionStorage.setItem('way_back', '/commonQuestions'))
  await page.goto('/order/result?order_id=ord_1')
  await expect(page).toHaveURL(/\/commonQuestions$/)
  answer('refunded')
  await page.goto('/order/result?order_id=ord_1')
  await expect(page.getByText('This order was refunded.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Watch', exact: true })).toHaveAttribute('href', '/')
})

test('what a payment opens is asked for again once it is through', async ({ page }) => {
  const answer = await answerWith(page)
  answer('pending')
  await page.goto('/order/result?order_id=ord_1')
  await expect(page.getByText('Waiting for the payment…')).toBeVisible()
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/user')
  answer('paid')
  await asked
})
