import { expect, test } from '#e2e/support/fixtures.ts'

/** Console messages of the browser for missing files. */
test.use({ allowedConsoleMessages: /ERR_FAILED/ })

const documents = { '/': 'home page', '/order/easy': 'payment form', '/studio': 'studio' }

for (const [path, name] of Object.entries(documents))
  test(`the ${name} is loaded again if its first script fails to load @screens`, async ({ page }) => {
    let requestCount = 0
    await page.route(/\/assets\/(index|order|studio)-[^/]*\.js$/, (route) =>
      requestCount++ === 0 ? route.abort() : route.fallback(),
    )
    await page.goto(path)
    await expect(page.getByRole('main')).toBeVisible()
    expect(requestCount).toBe(2)
  })

test('a script that fails to load while offline is loaded again once the browser is online @screens', async ({
  page,
  context,
}) => {
  let requestCount = 0
  await page.route(/\/assets\/index-[^/]*\.js$/, async (route) => {
    if (requestCount++ > 0) return route.fallback()
    await context.setOffline(true)
    await route.abort('internetdisconnected')
  })
  await page.goto('/')
  await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(false)
  await context.setOffline(false)
  await expect(page.getByRole('main')).toBeVisible()
  expect(requestCount).toBe(2)
})
