import type { Browser, Page } from '@playwright/test'
import { variantOf } from '#server/features/experiments/assign-variant.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'
import { expectPlaying, lockedPanel, payByCard } from '#e2e/support/playback-and-payment.ts'

test.use({ bypassCSP: true })

const halves = [{ share: 50 }, { share: 50 }]

/** Returns the URL of a drama that no other test pays for; its only episode is free. */
async function wideUrl(page: Page): Promise<string> {
  const answer = await page.request.get('/api/homepage/query?keyword=Wide')
  const { data } = (await answer.json()) as { data: { list: { id: string; title: string }[] } }
  return `/videos/${data.list.find(({ title }) => title === 'Wide and Silent')?.id ?? ''}`
}

/** The status on the experiment's page. */
const state = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('term')
    .filter({ hasText: /^Status$/ })
    .locator('+ dd')

/** Opens the site as a new visitor in this variant. */
async function viewerIn(browser: Browser, experimentId: string, variant: number): Promise<Page> {
  for (;;) {
    const context = await browser.newContext()
    const { info } = (await (await context.request.get('/api/user')).json()) as { info: { id: string } }
    if (variantOf({ id: experimentId, variants: halves }, info.id) === variant) return context.newPage()
    await context.close()
  }
}

test('an owner starts an experiment, a viewer sees the variant and buys, and the results show the purchase', async ({
  page,
  browser,
}) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/experiments/new')
  await page.getByLabel('Name').fill('Nothing for free')
  await page.getByLabel('Video', { exact: true }).fill(await wideUrl(page))
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Enter a whole number, such as 5.')).toBeVisible()
  await page.getByLabel('Free episodes in variant B').fill('0')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing for free' })).toBeVisible()
  const id = /exp_\w+/.exec(page.url())?.[0] ?? ''
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  await expect(state(page)).toHaveText('Running')
  const usual = await viewerIn(browser, id, 0)
  await usual.goto(`${await wideUrl(usual)}?episode=1`)
  await expectPlaying(usual, 1)
  const buyer = await viewerIn(browser, id, 1)
  await buyer.goto(`${await wideUrl(buyer)}?episode=1`)
  await lockedPanel(buyer, 1).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(buyer, { number: '4242 4242 4242 4242' })
  await expectPlaying(buyer, 1)

  await page.reload()
  const table = page.getByRole('table', { name: 'Conversion rate' })
  await expect(table.getByRole('row', { name: /0 free episodes/ })).toContainText('100%')
  await expect(page.getByText(/Too early to decide/)).toBeVisible()
  const revenue = page.getByRole('table', { name: 'Net revenue per viewer in USD' })
  await expect(revenue.getByRole('row', { name: /0 free episodes/ })).toContainText('$0.99')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.goto(`/studio/experiments/${id}?lang=dy`)
  await expect(page.getByRole('table', { name: 'Konversionsrate' })).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.goto(`/studio/experiments?lang=dy`)
  await expect(page.getByRole('table')).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.goto(`/studio/experiments/${id}?lang=en`)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await expect(state(page)).toHaveText('Ended')
})
