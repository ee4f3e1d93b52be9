import { expect, test } from '#e2e/support/fixtures.ts'
import { expectAccessible, expectNoOverflow } from '#e2e/support/page-quality.ts'
import { payByCard } from '#e2e/support/playback-and-payment.ts'

test('a viewer who subscribes on the plans page can start watching from that page', async ({ page }) => {
  await page.goto('/shopping')
  const start = page.getByRole('link', { name: 'Watch now' })
  await expect(page.getByRole('button', { name: 'Choose Weekly' })).toBeVisible()
  await expect(start).toHaveCount(0)
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expect(start).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await start.click()
  await expect(page).toHaveURL('/')
})

test('the plans page marks the recommended plan and the plan of best value', async ({ page }) => {
  await page.goto('/shopping')
  const card = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
  await expect(card('Monthly')).toContainText('Recommended')
  await expect(card('Yearly')).toContainText('Best value')
  await expect(card('Weekly')).not.toContainText(/Recommended|Best value/)
})
