import { expect, test } from './fixtures.ts'
import { expectFits, expectNoShift, expectReadable, watchShifts } from './page-quality.ts'
import { openRoute, routes } from './routes.ts'

// axe brings its own script into the page.
test.use({ bypassCSP: true })

for (const { name, path } of routes) {
  test(`${name}: readable by everybody, and nothing jumps`, async ({ page }) => {
    await watchShifts(page)
    await openRoute(page, path)
    await expectReadable(page)
    await expectNoShift(page)
  })
}

const narrow = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }
const twice = { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }

test('every route fits the narrowest phone in the longest languages, and the desktop at twice the size', async ({
  browser,
  isMobile,
}) => {
  test.setTimeout(240_000)
  for (const locale of ['de-DE', 'fr-FR']) {
    const context = await browser.newContext({ locale, ...(isMobile ? narrow : twice) })
    const page = await context.newPage()
    for (const { name, path } of routes)
      await test.step(`${name}, ${locale}`, async () => {
        await openRoute(page, path)
        await expectFits(page)
      })
    await context.close()
  }
})

test('who asked for less motion gets none', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const moving = () =>
    page.evaluate(() =>
      document
        .getAnimations()
        .map((animation) => Number(animation.effect?.getComputedTiming().duration))
        .filter((duration) => duration > 1),
    )
  await openRoute(page, '/')
  const card = page.getByRole('link', { name: /The Test Tower/ }).last()
  await card.hover()
  expect(await moving()).toEqual([])
  await openRoute(page, '/videos/{video}')
  await page.keyboard.press('k')
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(await moving()).toEqual([])
})
