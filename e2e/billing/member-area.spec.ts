import type { Locator, Page, Route } from '@playwright/test'
import { topUpAtPaywall, unlockButton } from '#e2e/support/balances.ts'
import { defaultSite, expect, test } from '#e2e/support/fixtures.ts'
import { expectNoLayoutShift, recordLayoutShifts } from '#e2e/support/page-quality.ts'
import { expectPlaying } from '#e2e/support/playback-and-payment.ts'
import { registerMember } from '#e2e/support/register-member.ts'
import { desktop, phone } from '#e2e/playwright.config.ts'

test.use({ site: { ...defaultSite, withFakeServices: false, settings: { PREPAID_BALANCE: 'on' } } })

const savedCard = { id: 'mth_1', gateway: 'sandbox', brand: 'visa', last4: '4242' }

/** Tops up, and unlocks an episode from the balance. */
async function spendFromBalance(page: Page): Promise<void> {
  await unlockButton(await topUpAtPaywall(page, 4)).click()
  await expectPlaying(page, 4)
}

test('nothing in the member area moves, whichever part loads last @screens', async ({ page }) => {
  await spendFromBalance(page)
  await recordLayoutShifts(page)
  const card = { code: 200, info: { saved_method: savedCard } }
  for (const late of ['**/api/payment/method', '**/api/balance', '**/api/balance/entries*', /\/api\/video\?/])
    for (const { viewport } of [desktop, phone]) {
      await page.setViewportSize(viewport)
      await page.route('**/api/payment/method', (route) => route.fulfill({ json: card }))
      // The late part is delayed until the orders have arrived. The page requests both at the same time.
      const orders = page.waitForResponse(/\/api\/payment\?/)
      await page.route(late, async (route) => {
        await orders
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
        await route.fallback()
      })
      await page.goto('/my')
      for (const name of ['Saved card', 'Balance', 'Balance history', 'Orders and receipts'])
        await expect(page.getByRole('region', { name, exact: true })).toBeVisible()
      await expect(page.getByText('Purchase: The Test Tower, episode 4')).toBeVisible()
      await expectNoLayoutShift(page)
      await page.unrouteAll({ behavior: 'wait' })
    }
})

test('nothing is hidden while more entries of the balance history load @screens', async ({ page }) => {
  await spendFromBalance(page)
  const answer = await page.request.get('/api/balance/entries')
  const { list } = ((await answer.json()) as { data: { list: { id: string }[] } }).data
  const more = list.map((entry) => ({ ...entry, id: `more-${entry.id}`, video_id: 'slow' }))
  await page.route('**/api/balance/entries*', (route) => {
    const data = route.request().url().includes('cursor=') ? { list: more } : { list, next_cursor: 'more' }
    return route.fulfill({ json: { code: 200, data } })
  })
  // This request never gets a response.
  await page.route(/\/api\/video\?.*slow/, () => {})
  await page.goto('/my')
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  await expect(region('Orders and receipts')).toBeVisible()
  await region('Balance history').getByRole('button', { name: 'Load more' }).click()
  await expect(region('Balance history').getByRole('listitem')).toHaveCount(2 * list.length)
  await expect(region('Orders and receipts')).toBeVisible() // stays
})

test.describe('after balances were switched off', () => {
  test.use({ site: { ...defaultSite, withFakeServices: false } })

  test('the orders are shown once it is known whether a balance remains @screens', async ({ page }) => {
    await page.route('**/api/balance/entries*', (route) =>
      route.fulfill({ json: { code: 200, data: { list: [] } } }),
    )
    const balanceRequest = new Promise<Route>((resolve) => page.route('**/api/balance', resolve))
    const responses = [/\/api\/payment\?/, '**/api/payment/method'].map((url) => page.waitForResponse(url))
    await page.goto('/my')
    await Promise.all(responses)
    const orders = page.getByRole('heading', { name: 'Orders and receipts', includeHidden: true })
    await expect(page.getByRole('link', { name: 'See plans' })).toBeVisible()
    await expect(orders).toBeHidden()
    const info = { enabled: false, balances: [], top_ups: [], gateways: [], auto_unlocks: [] }
    await (await balanceRequest).fulfill({ json: { code: 200, info } })
    await expect(page.getByRole('region', { name: 'Balance', exact: true })).toBeVisible()
    await expect(orders).toBeVisible()
  })
})

test('the member area has one main button; for a guest, this button creates an account @screens', async ({
  page,
}) => {
  await page.goto('/my')
  const main = page.getByRole('main')
  await expect(main.getByRole('button', { name: 'Top up your balance' })).toBeVisible()
  await expect.poll(() => mainButtons(main)).toEqual(['Create account'])
  await registerMember(page)
  await page.reload()
  await expect(main.getByRole('button', { name: 'Top up your balance' })).toBeVisible()
  await expect.poll(() => mainButtons(main)).toEqual(['See plans'])
})

/** Returns the labels of the buttons in the accent colour. */
const mainButtons = (main: Locator): Promise<string[]> =>
  main.evaluate((screen) => {
    const sample = screen.appendChild(document.createElement('i'))
    sample.style.background = 'var(--accent)'
    const colourOf = (element: Element) => getComputedStyle(element).backgroundColor
    const accent = colourOf(sample)
    sample.remove()
    return [...screen.querySelectorAll<HTMLElement>('a, button')]
      .filter((element) => colourOf(element) === accent)
      .map(({ innerText }) => innerText)
  })
