import type { Locator, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openStudioWithSession, postToStudio } from '#e2e/support/studio.ts'
import { expectPlaying, lockedPanel, payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

test.use({ bypassCSP: true, viewport: { width: 820, height: 1180 } })

const pages = [
  'videos',
  'videos/labels',
  'homepage/texts',
  'payments',
  'plans',
  'analytics',
  'team',
  'system',
]

for (const language of ['en', 'dy'] as const)
  test(
    `the tables of the studio fit a tablet, and a button opens the account menu, in ${language}`,
    { tag: '@screens' },
    async ({ page }) => {
      await openStudioWithSession(page, 'owner')
      for (const path of pages) {
        await page.goto(`/studio/${path}?lang=${language}`)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
        await expectNoOverflow(page)
        const scrolled = await page
          .locator('main [role=region]')
          .evaluateAll((frames) =>
            frames
              .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
              .map((each) => each.ariaLabel),
          )
        expect.soft(scrolled, path).toEqual([])
      }
      const name = language === 'en' ? 'Account and language' : 'Konto und Sprache'
      const signOut = page.getByRole('button', { name: language === 'en' ? 'Sign out' : 'Abmelden' })
      await expect(signOut).toBeHidden()
      await page.getByRole('button', { name }).click()
      await expect(signOut).toBeVisible()
      await expectAccessible(page)
      // The menu is closed on the next page.
      await page.getByRole('navigation').getByRole('link', { name: 'Videos' }).click()
      await expect(signOut).toBeHidden()
    },
  )

test('orders fit on a tablet and at 200 % zoom without horizontal scrolling, with titles in whole words @screens', async ({
  page,
}) => {
  await buyEpisode(page)
  await openStudioWithSession(page, 'owner')
  for (const width of [720, 768, 820]) {
    await page.setViewportSize({ width, height: 600 })
    await page.goto('/studio/payments')
    const orders = page.getByRole('region', { name: 'Orders' })
    const title = orders.getByRole('link')
    await expect(title).toHaveCount(1)
    expect.soft(await hiddenWidth(orders), `orders at ${width} px`).toBe(0)
    expect.soft(await title.evaluate((link) => link.getClientRects().length), `title at ${width} px`).toBe(1)
    await title.click()
    const attempts = page.getByRole('region', { name: 'Payment attempts' })
    await expect(attempts).toBeVisible()
    expect.soft(await hiddenWidth(attempts), `attempts at ${width} px`).toBe(0)
  }
})

test('access, payment attempts and the funnel fit at 200 % zoom, on a phone in landscape and on a laptop @screens', async ({
  page,
}) => {
  await buyEpisode(page)
  await openStudioWithSession(page, 'owner')
  const orders = await page.request.get('/api/studio/orders')
  const { data } = (await orders.json()) as { data: { list: { id: string; user_id: string }[] } }
  const { id, user_id: customer } = data.list[0] ?? { id: '', user_id: '' }
  await postToStudio(page, 'entitlements', { customer, days: 30, reason: 'goodwill' })
  const tables = [
    { path: `customers/${customer}`, en: 'Access', dy: 'Zugang' },
    { path: `payments/orders/${id}`, en: 'Payment attempts', dy: 'Zahlungsversuche' },
    { path: 'analytics', en: 'Conversion funnel', dy: 'Konversionstrichter' },
  ]
  for (const language of ['en', 'dy'] as const)
    for (const { path, ...names } of tables) {
      await page.goto(`/studio/${path}?lang=${language}`)
      const table = page.getByRole('region', { name: names[language], exact: true })
      await expect(table).toBeVisible()
      for (const width of [720, 844, 1440]) {
        await page.setViewportSize({ width, height: 600 })
        expect.soft(await hiddenWidth(table), `${names[language]} at ${width} px`).toBe(0)
      }
    }
})

async function buyEpisode(page: Page): Promise<void> {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expectPlaying(page, 4)
}

/** Returns the overflow width of a table. */
const hiddenWidth = (table: Locator): Promise<number> =>
  table.evaluate((frame) => frame.scrollWidth - frame.clientWidth)
