import { languages, type Language } from '#contract/languages.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import {
  desktopAt200Percent,
  expectNoOverflow,
  expectNoLayoutShift,
  expectAccessible,
  narrowPhone,
  recordLayoutShifts,
} from '#e2e/support/page-quality.ts'
import { openRoute, routes } from '#e2e/support/routes.ts'

// axe injects its own script into the page.
test.use({ bypassCSP: true })

/** The browser locales of the site's languages. */
const locales: Record<Language, string> = { en: 'en-US', es: 'es-ES', fy: 'fr-FR', dy: 'de-DE', pt: 'pt-BR' }

for (const language of languages)
  test.describe(`in ${locales[language]}`, () => {
    test.use({ locale: locales[language] })
    for (const { name, path } of routes)
      test(`${name}: accessible, no layout shift, and long words fit`, async ({ page, isMobile }) => {
        await recordLayoutShifts(page)
        await openRoute(page, path)
        await expectAccessible(page)
        await expectNoLayoutShift(page)
        await page.setViewportSize(isMobile ? narrowPhone : desktopAt200Percent)
        await expectNoOverflow(page)
      })
  })

test('the homepage and the player respect the preference for reduced motion', async ({ page }) => {
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
