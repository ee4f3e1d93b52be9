import { expect, test } from '#e2e/support/fixtures.ts'
import { towerUrl } from '#e2e/support/playback-and-payment.ts'

/** Console messages of the browser for missing files. */
test.use({ allowedConsoleMessages: /ERR_FAILED|ERR_INTERNET_DISCONNECTED/ })

/** The first script of each document. Other scripts have a second word in their name, such as order-copy. */
const firstScript = /\/assets\/(index|order|studio)-[\w-]{7}\.js$/
const documents = { '/': 'home page', '/order/easy': 'payment form', '/studio': 'studio' }

for (const [path, name] of Object.entries(documents))
  test(`the ${name} is loaded again if its first script fails to load @screens`, async ({ page }) => {
    let requestCount = 0
    await page.route(firstScript, (route) => (requestCount++ === 0 ? route.abort() : route.fallback()))
    await page.goto(path)
    await expect(page.getByRole('main')).toBeVisible()
    expect(requestCount).toBe(2)
  })

test('an episode that plays at once is loaded again if the script of its buttons fails to load @screens', async ({
  page,
}) => {
  let requestCount = 0
  await page.route(firstScript, (route) => (requestCount++ === 0 ? route.abort() : route.fallback()))
  await page.goto(await towerUrl(page, 1))
  await expect(page.getByRole('button', { name: 'Episodes' })).toBeVisible()
  expect(requestCount).toBe(2)
})

test('a script that fails to load while offline is loaded again once the browser is online @screens', async ({
  page,
}) => {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'onLine', { get: () => sessionStorage.getItem('online') === 'yes' }),
  )
  let requestCount = 0
  await page.route(firstScript, (route) =>
    requestCount++ === 0 ? route.abort('internetdisconnected') : route.fallback(),
  )
  await page.goto('/')
  await page.evaluate(() => {
    sessionStorage.setItem('online', 'yes')
    dispatchEvent(new Event('online'))
  })
  await expect(page.getByRole('main')).toBeVisible()
  expect(requestCount).toBe(2)
})
