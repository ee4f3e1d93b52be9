import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectFits, expectReadable } from './page-quality.ts'
import { openStudio } from './studio.ts'
import { expectPlaying, lockedPanel, payByCard, towerUrl } from './watching.ts'

test.use({ bypassCSP: true })

/** Somebody buys the fourth episode. @returns the number of their order */
async function buy(page: Page): Promise<string> {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expectPlaying(page, 4)
  const { data } = (await (await page.request.get('/api/payment')).json()) as {
    data: { list: { id: string }[] }
  }
  return data.list[0]?.id ?? ''
}

test('support finds an order, looks at it again and refunds a part; the page says so at once', async ({
  page,
}) => {
  const order = await buy(page)
  await openStudio(page, 'support')
  await page.goto(`/studio/people?who=${order}`)
  await page.getByRole('table', { name: 'People' }).getByRole('link').click()
  await page.getByRole('table', { name: 'Orders' }).getByRole('link').click()
  await expect(page.getByRole('table', { name: 'Ledger' })).toContainText('sales:episode')
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(page.getByText('The gateway was asked; the order is up to date.')).toBeVisible()
  await page.getByRole('button', { name: 'Refund' }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund' })
  await dialog.getByLabel('Amount in USD').fill('9.99')
  await dialog.getByLabel('Reason').fill('goodwill')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(dialog.getByText('Enter an amount up to $0.99.')).toBeVisible()
  await expectReadable(page)
  await dialog.getByLabel('Amount in USD').fill('0.40')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(page.getByText('$0.40 went back.')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Refunds' })).toContainText('goodwill')
  await expect(page.getByText('Partly refunded')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Audit trail' })).toContainText('order refund')
})

test('the analyst sees what came in, and nothing to press', async ({ page }) => {
  await openStudio(page, 'analyst')
  await page.goto('/studio/money/reconciliation')
  await expect(page.getByRole('heading', { name: "The day's money" })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Compare now' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'People' })).toHaveCount(0)
})

for (const [language, words] of [
  ['en', ['Money', 'People', 'Plans and prices', 'New plan']],
  ['dy', ['Geld', 'Menschen', 'Abos und Preise', 'Neues Abo']],
] as const)
  test(`money, people and plans are readable and fit, in ${language}`, async ({ page }) => {
    await openStudio(page, 'owner')
    const paths = ['/studio/money', '/studio/people', '/studio/plans', '/studio/plans/new']
    for (const [index, path] of paths.entries()) {
      await page.goto(`${path}?lang=${language}`)
      await expect(page.getByRole('heading', { name: words[index], exact: true })).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      await expectReadable(page)
      await expectFits(page)
    }
  })
