import { expect, test } from '#e2e/support/fixtures.ts'
import { expectPlaying, lockedPanel, payByWallet, towerUrl } from '#e2e/support/playback-and-payment.ts'

test('PayPal is approved in the same window and leads back to the episode', async ({ page, context }) => {
  await page.goto(await towerUrl(page, 4))
  await payByWallet(page, lockedPanel(page, 4), 'PayPal')
  await page.getByRole('button', { name: 'Pay now' }).click()
  await expectPlaying(page, 4)
  expect(context.pages()).toHaveLength(1)
})

test('a payment that is cancelled at PayPal shows that nothing was charged, and leads back to the locked episode', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 5))
  await payByWallet(page, lockedPanel(page, 5), 'PayPal')
  await page.getByRole('button', { name: 'Cancel and return' }).click()
  await expect(page).toHaveURL(/\/order\/result\?order_id=/)
  await expect(page.getByText('Payment cancelled. You haven’t been charged.')).toBeVisible()
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(lockedPanel(page, 5)).toBeVisible()
})

test('if the tab of a PayPal payment was closed, the payment can be finished in another tab @screens', async ({
  page,
  context,
}) => {
  await page.goto(await towerUrl(page, 6))
  await payByWallet(page, lockedPanel(page, 6), 'PayPal')
  await page.getByRole('button', { name: 'Pay now' }).waitFor()
  const paypal = page.url()
  await page.close()
  const newPage = await context.newPage()
  await newPage.goto(paypal)
  await newPage.getByRole('button', { name: 'Pay now' }).click()
  await expectPlaying(newPage, 6)
})
