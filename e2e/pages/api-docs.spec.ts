import { expect, test } from '#e2e/support/fixtures.ts'
import { siteUrl } from '#e2e/support/site-url.ts'

test('the API documentation is shown without third-party requests @desktop', async ({ page }) => {
  const thirdPartyUrls: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(siteUrl) && !request.url().startsWith('data:'))
      thirdPartyUrls.push(request.url())
  })
  await page.goto('/api/docs')
  await expect(page.getByRole('heading', { name: /^Cliffhanger/ })).toBeVisible()
  await page.getByRole('link', { name: 'payment', exact: true }).click()
  await expect(page.getByText('/api/payment/order', { exact: true })).toBeVisible()
  expect(thirdPartyUrls).toEqual([])
})
