import type { Order } from '#contract/billing.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { mockOrderStatus, mockOrderPath, setReturnPath } from '#e2e/support/mock-orders.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import {
  expectProgress,
  expectPlaying,
  lockedPanel,
  payByCard,
  currentSecond,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

// The browser logs the failed request.
test.use({ allowedConsoleMessages: /net::ERR_FAILED/ })

test('after a lost response, the order is not shown as missing, and is requested again @screens', async ({
  page,
}) => {
  const answer = await mockOrderStatus(page)
  await setReturnPath(page)
  await page.goto(mockOrderPath)
  await expect(page.locator('main').getByRole('alert')).toContainText('We couldn’t load this.')
  await expect(page.getByText('We can’t find this order.')).toHaveCount(0)
  answer('pending')
  await expect(page.getByText('Waiting for payment…')).toBeVisible()
  await expect(page.locator('main').getByRole('link')).toHaveText('Back')
  answer(null)
  await expect(page.locator('main').getByRole('alert')).toContainText('We couldn’t load this.')
  answer('paid')
  await expect(page.getByText('Paid. Taking you back…')).toBeVisible()
  await expect(page.locator('main').getByRole('link')).toHaveText('Watch')
})

test('a paid order leads to its episode at the saved position, even without a stored return path @screens', async ({
  page,
}) => {
  const path = await towerUrl(page, 4)
  await page.goto(path)
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const orderResponse = page.waitForResponse((response) => response.url().endsWith('/api/payment/order'))
  await payByCard(page, { number: '4242 4242 4242 4242' })
  const { info: order } = (await (await orderResponse).json()) as { info: Order }
  await expectPlaying(page, 4)
  await page.goto('about:blank')
  const position = { video_id: order.video_id, episode_id: order.episode_id, position_ms: 3000 }
  await page.request.post('/api/user/history', {
    headers: { origin: siteUrl },
    data: { ...position, at: new Date().toISOString() },
  })
  await page.goto('/commonQuestions')
  await page.evaluate(() => {
    sessionStorage.clear()
    localStorage.removeItem('return_path')
  })
  await page.goto(`/order/result?order_id=${order.id}`)
  await expect(page).toHaveURL(path)
  await expectProgress(page)
  expect(await currentSecond(page)).toBeGreaterThanOrEqual(3)
})

test('an order that does not exist is shown as not found', async ({ page }) => {
  await page.goto('/order/result?order_id=ord_none')
  await expect(page.getByText('We can’t find this order.')).toBeVisible()
  await expect(page.locator('main').getByRole('link')).toHaveText('Browse dramas')
})

test('the return path is deleted after its use, so that the page of another order does not lead to this path', async ({
  page,
}) => {
  const answer = await mockOrderStatus(page)
  answer('paid')
  await page.goto('/commonQuestions')
  await page.evaluate(() => sessionStorage.setItem('return_path', '/commonQuestions'))
  await page.goto(mockOrderPath)
  await expect(page).toHaveURL(/\/commonQuestions$/)
  // Waits for the new screen, because the URL changes before the previous screen unmounts.
  await expect(page.getByRole('heading', { name: 'Frequently asked questions' })).toBeVisible()
  answer('refunded')
  await page.goto(mockOrderPath)
  await expect(page.getByText('This order was refunded.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Buy again', exact: true })).toHaveAttribute('href', '/')
})

test('the data of the user is loaded again after a payment has succeeded', async ({ page }) => {
  const answer = await mockOrderStatus(page)
  answer('pending')
  await page.goto(mockOrderPath)
  await expect(page.getByText('Waiting for payment…')).toBeVisible()
  const userRequest = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/user')
  answer('paid')
  await userRequest
})
