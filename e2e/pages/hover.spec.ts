import { expect, test } from '#e2e/support/fixtures.ts'

// Only a mouse hovers.
test.use({ viewport: { width: 1440, height: 900 }, isMobile: false, hasTouch: false })

test('a mouse that rests on a poster sees scenes of the drama, until it leaves', async ({ page }) => {
  await page.goto('/')
  const card = page.getByRole('link', { name: /The Test Tower/ }).last()
  const scenes = card.locator('[style*="storyboard"]')
  // The previews come once the page is idle, and see the mouse as it comes to the poster.
  await expect(async () => {
    await page.mouse.move(5, 5)
    await card.hover()
    await expect(scenes).toBeVisible({ timeout: 2000 })
  }).toPass()
  const before = await scenes.getAttribute('style')
  await expect.poll(() => scenes.getAttribute('style')).not.toBe(before)
  await page.mouse.move(5, 5)
  await expect(scenes).toHaveCount(0)
})
