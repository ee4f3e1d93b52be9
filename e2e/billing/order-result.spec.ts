import { expect, test } from '#e2e/support/fixtures.ts'
import { answerWith, madeUpResult, stayAtResult } from '#e2e/support/made-up-orders.ts'

// What the browser writes of an answer that does not come.
test.use({ forgiven: /net::ERR_FAILED/ })

test('an answer that got lost is not taken for an order that does not exist, and the order is asked for again', async ({
  page,
}) => {
  const answer = await answerWith(page)
  await stayAtResult(page)
  await page.goto(madeUpResult)
  await expect(page.locator('main').getByRole('alert')).toContainText('We couldn’t load this.')
  await expect(page.getByText('We can’t find this order.')).toHaveCount(0)
  answer('pending')
  await expect(page.getByText('Waiting for payment…')).toBeVisible()
  answer(null)
  await expect(page.locator('main').getByRole('alert')).toContainText('We couldn’t load this.')
  answer('paid')
  await expect(page.getByText('Paid. Taking you back…')).toBeVisible()
})

test('an order that does not exist is said to be none', async ({ page }) => {
  await page.goto('/order/result?order_id=ord_none')
  await expect(page.getByText('We can’t find this order.')).toBeVisible()
})

test('the way back is gone once it was taken: another order does not lead there', async ({ page }) => {
  const answer = await answerWith(page)
  answer('paid')
  await page.goto('/commonQuestions')
  await page.evaluate(() => sessionStorage.setItem('return_path', '/commonQuestions'))
  await page.goto(madeUpResult)
  await expect(page).toHaveURL(/\/commonQuestions$/)
  // The address comes before the screen, with which the one before goes.
  await expect(page.getByRole('heading', { name: 'Frequently asked questions' })).toBeVisible()
  answer('refunded')
  await page.goto(madeUpResult)
  await expect(page.getByText('This order was refunded.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Buy again', exact: true })).toHaveAttribute('href', '/')
})

test('what a payment opens is asked for again once it is through', async ({ page }) => {
  const answer = await answerWith(page)
  answer('pending')
  await page.goto(madeUpResult)
  await expect(page.getByText('Waiting for payment…')).toBeVisible()
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/user')
  answer('paid')
  await asked
})
