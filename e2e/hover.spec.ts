import { expect, test } from './fixtures.ts'

// Only a mouse hovers.
test.use({ viewport: { width: 1440, height: 900 }, isMobile: false, hasTouch: false })

test('a mouse that rests on a poster sees scenes of the drama, until it leaves', async ({ page }) => {
  await page.goto('/')
  // The previews come with what comes once the page is idle.
  await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
  const card = page.getByRole('link', { name: /The Test Tower/ }).last()
  const scenes = card.locator('[style*="storyboard"]')
  await card.hover()
  await expect(scenes).toBeVisible()
  const before = await scenes.getAttribute('style')
  await expect.poll(() => scenes.getAttribute('style')).not.toBe(before)
  await page.mouse.move(5, 5)
  await expect(scenes).toHaveCount(0)
})
