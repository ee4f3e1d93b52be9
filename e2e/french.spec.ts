import { test } from './fixtures.ts'
import { desktopAtTwiceTheSize, expectFits, narrowPhone } from './page-quality.ts'
import { openRoute, routes } from './routes.ts'

// German is looked at with everything else, in screens.spec.ts.
test.use({ locale: 'fr-FR' })

test('every route fits the narrowest phone, and the desktop at twice the size, in French', async ({
  page,
}) => {
  test.setTimeout(120_000)
  for (const { name, path } of routes)
    await test.step(name, async () => {
      await page.setViewportSize(narrowPhone)
      await openRoute(page, path)
      await expectFits(page)
      await page.setViewportSize(desktopAtTwiceTheSize)
      await expectFits(page)
    })
})
