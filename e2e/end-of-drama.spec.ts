import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectMoving, swipeUp } from './watching.ts'

const end = (page: Page) => page.getByRole('region', { name: 'The end' })

/** Opens the drama of one episode and lets it come to its end. */
async function watchToTheEnd(page: Page): Promise<string> {
  await page.goto('/searchDetail/silent')
  await page.getByRole('link', { name: /Wide and Silent/ }).click()
  await expectMoving(page)
  const address = page.url()
  await expect(end(page)).toBeVisible()
  return address
}

test('after its last episode a drama leads on to the next one by itself', async ({ page }) => {
  const address = await watchToTheEnd(page)
  await expect(end(page).getByRole('heading', { name: 'The Test Tower' })).toBeVisible()
  await expect(end(page).getByRole('timer')).toContainText(/Plays in \d seconds?/)
  await expect(page).not.toHaveURL(address, { timeout: 20_000 })
  await expect(page).toHaveTitle(/The Test Tower/)
  await expectMoving(page)
})

test('the count-down can be stopped, and the last episode watched again', async ({ page }) => {
  await watchToTheEnd(page)
  await end(page).getByRole('button', { name: 'Stop' }).click()
  await expect(end(page).getByRole('timer')).toHaveText('')
  await end(page).getByRole('button', { name: 'Watch again' }).click()
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  expect(await page.title()).toContain('Wide and Silent')
})

test('a swipe beyond the end opens the next drama', async ({ page, isMobile }) => {
  await watchToTheEnd(page)
  await end(page).getByRole('button', { name: 'Stop' }).click()
  await swipeUp(page, isMobile)
  await expect(page).toHaveTitle(/The Test Tower/)
  await expectMoving(page)
})
