import { expect, test } from '#e2e/support/fixtures.ts'

// Hover requires a mouse.
test.use({ viewport: { width: 1440, height: 900 }, isMobile: false, hasTouch: false })

test('hovering over a poster shows scenes of the drama', async ({ page }) => {
  await page.goto('/')
  const card = page.getByRole('link', { name: /The Test Tower/ }).last()
  const scenes = card.locator('[style*="storyboard"]')
  // Previews load when the page is idle, and react to the mouse entering the poster.
  await expect(async () => {
    await page.mouse.move(5, 5)
    await card.hover()
    await expect(scenes).toBeVisible({ timeout: 5_000 })
  }).toPass()
  const before = await scenes.getAttribute('style')
  await expect.poll(() => scenes.getAttribute('style')).not.toBe(before)
  await page.mouse.move(5, 5)
  await expect(scenes).toHaveCount(0)
})
