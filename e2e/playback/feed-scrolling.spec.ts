import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { readStable } from '#e2e/support/page-quality.ts'
import { openRoute } from '#e2e/support/routes.ts'

interface Card {
  id: string
  title: string
}

const namedCard = (card: Card | undefined, id: string) => ({ ...card, id: `vid_${id}`, title: `Drama ${id}` })

/** Extends the homepage by eight grids. The first drama of each grid exists on the site, so it can be opened. */
async function extendHomepage(page: Page): Promise<void> {
  await page.route('**/api/homepage', async (route) => {
    const response = await route.fetch()
    const { info, ...rest } = (await response.json()) as { info: { homepage: { items: Card[] }[] } }
    const realCard = info.homepage[0]?.items[0]
    const grids = Array.from({ length: 8 }, (_, grid) => ({
      id: `sec_${grid}`,
      kind: 'grid',
      title: `Grid ${grid}`,
      items: [
        { ...realCard, title: `Real ${grid}` },
        ...Array.from({ length: 8 }, (_, i) => namedCard(realCard, `${grid}_${i}`)),
      ],
      has_more: false,
    }))
    await route.fulfill({
      response,
      json: { ...rest, info: { ...info, homepage: [...info.homepage, ...grids] } },
    })
  })
}

/** Serves a list of two pages with 42 items each. The middle item of the second page exists on the site. */
async function extendListing(page: Page): Promise<void> {
  await page.route('**/api/homepage/query*', async (route) => {
    const isSecond = new URL(route.request().url()).searchParams.has('cursor')
    const response = await route.fetch({
      url: route
        .request()
        .url()
        .replace(/[?&]cursor=[^&]*/, ''),
    })
    const { data, ...rest } = (await response.json()) as { data: { list: Card[] } }
    const [realCard] = data.list
    const list = Array.from({ length: 42 }, (_, i) =>
      isSecond && i === 20 ? { ...realCard, title: 'Real' } : namedCard(realCard, `${isSecond ? 2 : 1}_${i}`),
    )
    await route.fulfill({
      response,
      json: { ...rest, data: { ...data, list, next_cursor: isSecond ? null : 'two' } },
    })
  })
}

const scrollPosition = (page: Page) => page.evaluate(() => Math.round(scrollY))

/**
 * Opens a drama from the current scroll position, and goes back. The card must be at its previous position in the
 * window, even if the row of watched dramas has appeared above the card.
 */
async function openAndGoBack(page: Page, name: string): Promise<void> {
  const card = page.locator('main').getByRole('link', { name })
  const top = () => card.evaluate((each) => Math.round(each.getBoundingClientRect().top))
  await card.scrollIntoViewIfNeeded()
  expect(await scrollPosition(page)).toBeGreaterThan(700)
  const before = await readStable(top)
  await card.click()
  await expect(page).toHaveURL(/\/videos\/vid_/)
  await expect(page.locator('[data-player] video').first()).toBeAttached()
  await page.goBack()
  await expect(card).toBeVisible()
  await expect.poll(top).toBe(before)
  await expect(card).toBeInViewport()
}

test('going back to the homepage restores its scroll position @sizes', async ({ page }) => {
  await extendHomepage(page)
  await openRoute(page, '/')
  await openAndGoBack(page, 'Real 6')
})

test('going back to a list restores its loaded pages and scroll position @sizes', async ({ page }) => {
  await extendListing(page)
  await openRoute(page, '/more/{section}')
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect(page.getByText('Drama 2_41', { exact: true })).toBeAttached()
  await openAndGoBack(page, 'Real')
})
