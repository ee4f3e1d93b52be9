import type { Locator, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { interceptPixels } from '#e2e/fakes/pixel-servers.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { expectProgress, towerUrl } from '#e2e/support/playback-and-payment.ts'

const tabs = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const tab = (page: Page, name: string) => tabs(page).getByRole('link', { name, exact: true })

test('the tab bar reaches every area of the site and marks the current one', async ({ page }) => {
  await page.goto('/')
  await expect(tab(page, 'Home')).toHaveAttribute('aria-current', 'page')
  for (const [name, path, heading] of [
    ['Search', '/search', 'Search'],
    ['Library', '/historys', 'Watch history'],
    ['Account', '/my', 'My account'],
  ] as const) {
    await tab(page, name).click()
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await expect(tabs(page).locator('[aria-current=page]')).toHaveText(name)
  }
  await tab(page, 'Home').click()
  await expect(page).toHaveURL('/')
})

test('the lists of the library are one tap apart', async ({ page }) => {
  await page.goto('/historys')
  const lists = page.getByRole('navigation', { name: 'Library' })
  await lists.getByRole('link', { name: 'Favorites' }).click()
  await expect(page.getByRole('heading', { name: 'Favorites', level: 1 })).toBeVisible()
  await lists.getByRole('link', { name: 'Unlocked' }).click()
  await expect(page.getByRole('heading', { name: 'Unlocked', level: 1 })).toBeVisible()
  await expect(tabs(page).locator('[aria-current=page]')).toHaveText('Library')
})

test('the tab bar does not cover the player @screens', async ({ page }) => {
  await page.goto('/')
  await expect(tabs(page)).toBeVisible()
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await expect(tabs(page)).toHaveCount(0)
})

test.describe('while the consent banner is open', () => {
  test.use({ consent: null })

  test('the banner is above the tab bar, and the page ends above both @screens', async ({
    page,
    context,
  }) => {
    await interceptPixels(context, siteUrl)
    await page.goto('/my')
    const question = page.getByRole('region', { name: 'Your privacy' })
    await expect(question).toBeVisible()
    const edges = async (locator: Locator) => {
      const { y, height } = (await locator.boundingBox()) ?? { y: NaN, height: NaN }
      return { top: Math.round(y), bottom: Math.round(y + height) }
    }
    await expect(async () => {
      // The page may become longer after a scroll.
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      const [barEdges, bannerEdges, footerEdges] = await Promise.all(
        [tabs(page), question, page.getByRole('contentinfo')].map(edges),
      )
      expect(barEdges?.bottom).toBe(page.viewportSize()?.height)
      expect(bannerEdges?.bottom).toBe(barEdges?.top)
      expect(footerEdges?.bottom).toBeLessThanOrEqual(bannerEdges?.top ?? 0)
    }).toPass()
  })
})

test('a wide screen shows the header instead of the tab bar @desktop', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Search' })).toBeVisible()
  await expect(tabs(page)).toBeHidden()
})
