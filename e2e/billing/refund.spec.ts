import type { Page } from '@playwright/test'
import type { Order } from '#contract/billing.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { expectPlaying, lockedPanel, payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

/** Returns the user's latest order from the API. */
async function lastOrder(page: Page): Promise<Pick<Order, 'id' | 'status'> | undefined> {
  const response = await page.request.get('/api/payment')
  const { data } = (await response.json()) as { data: { list: Pick<Order, 'id' | 'status'>[] } }
  return data.list[0]
}

const refund = (...args: string[]) => currentSite().server.studio('order', 'refund', ...args)

async function buyFourth(page: Page, number: string): Promise<void> {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number })
}

test('a full refund locks the episode again, a partial refund does not, and the member area shows both refunds', async ({
  page,
}) => {
  await buyFourth(page, '4242 4242 4242 4242')
  await expectPlaying(page, 4)
  const order = (await lastOrder(page))?.id ?? ''

  expect(await refund(order, '--amount_cents', '40')).toContain('refunded: $0.40')
  await page.goto('/my')
  await expect(page.getByText(/Partially refunded/)).toBeVisible()
  await page.goto(await towerUrl(page, 4))
  await expectPlaying(page, 4)

  expect(await refund(order)).toContain('order_status: refunded')
  // Opens episode 4 again, because the next episode may play by now.
  await page.goto(await towerUrl(page, 4))
  await expect(lockedPanel(page, 4)).toBeVisible()
  await page.goto('/my')
  await expect(page.getByText(/· Refunded$/)).toBeVisible()
})

test('a chargeback locks the episode again, and the order is shown as charged back', async ({ page }) => {
  await buyFourth(page, '4000 0000 0000 0259')
  await expect.poll(() => lastOrder(page)).toMatchObject({ status: 'charged_back' })
  await page.goto(await towerUrl(page, 4))
  await expect(lockedPanel(page, 4)).toBeVisible()
  await page.goto('/my')
  await expect(page.getByText(/Charged back by the bank/)).toBeVisible()
})
