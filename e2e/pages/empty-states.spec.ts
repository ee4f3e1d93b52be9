import type { Page } from '@playwright/test'
import { expect, missingPath, test } from '#e2e/support/fixtures.ts'

interface Answer {
  info?: object
  data?: object
}

/** Overrides fields of the site's response. */
const overrideResponse = (page: Page, path: string, change: object) =>
  page.route(`**/api/${path}`, async (route) => {
    const response = await route.fetch()
    const { info, data, ...rest }: Answer = await response.json()
    const json = info ? { ...rest, info: { ...info, ...change } } : { ...rest, data: { ...data, ...change } }
    await route.fulfill({ response, json })
  })

test('the homepage of an empty site shows a message, and then the first dramas without a reload', async ({
  page,
}) => {
  await overrideResponse(page, 'homepage', { homepage: [] })
  await page.goto('/')
  await expect(page.getByText('Nothing here yet.')).toBeVisible()
  const reloaded = page.waitForResponse('**/api/homepage')
  await page.getByRole('button', { name: 'Try again' }).click()
  await reloaded
  await page.unrouteAll()
  await expect(page.getByRole('heading', { name: 'The Test Tower' }).first()).toBeVisible()
  await expect(page.getByText('Nothing here yet.')).toHaveCount(0)
})

test('the plans page shows a message if there are no plans', async ({ page }) => {
  await overrideResponse(page, 'plan', { list: [] })
  await page.goto('/shopping')
  await expect(page.getByText('Purchases aren’t available right now.')).toBeVisible()
  await page.getByRole('link', { name: 'Browse dramas' }).click()
  await expect(page).toHaveURL(/\/$/)
})

test('without a payment method, no plan can be chosen, and a message explains it', async ({ page }) => {
  await overrideResponse(page, 'plan', { gateways: [] })
  await page.goto('/shopping')
  await expect(page.getByText('Purchases aren’t available right now.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Choose Weekly' })).toBeDisabled()
})

for (const { name, path } of [
  { name: 'a page that does not exist', path: missingPath },
  { name: 'a search without results', path: '/searchDetail/zzzzqqqq' },
  { name: 'empty favorites', path: '/favorites' },
])
  test(`${name} offers dramas to watch`, async ({ page }) => {
    await page.goto(path)
    const suggested = page.getByRole('region', { name: 'You may like' })
    await suggested.getByRole('link', { name: /The Test Tower/ }).click()
    await expect(page).toHaveURL(/\/videos\//)
  })
