import type { Page, Response } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

const tower = /The Test Tower/

async function openTower(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('link', { name: tower }).last().click()
  await expectProgress(page)
}

/** An item of the viewer's own list, not of the suggestions for an empty list. */
const listItem = (page: Page) =>
  page
    .locator('main')
    .getByRole('list', { name: /Favorites|history|Unlocked/ })
    .getByRole('listitem')
    .filter({ hasText: tower })

/** Sends two taps on the video at once, so that they are a double tap on any machine. */
async function doubleTap(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const finger = [{ x: 120, y: 300 }]
  const touch = (type: 'touchStart' | 'touchEnd') =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchStart' ? finger : [] })
  await Promise.all([touch('touchStart'), touch('touchEnd'), touch('touchStart'), touch('touchEnd')])
  await devtools.detach()
}

/** Swipes left over an item. */
async function swipeLeft(page: Page): Promise<void> {
  const box = await listItem(page).boundingBox()
  if (!box) throw new Error('the item is not on screen')
  const devtools = await page.context().newCDPSession(page)
  const [startX, y] = [box.x + box.width * 0.8, box.y + box.height / 2]
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y }] })
  await touch('touchStart', startX)
  for (let distance = 10; distance <= 120; distance += 10) await touch('touchMove', startX - distance)
  await touch('touchEnd')
  await devtools.detach()
}

test('a double tap adds a favorite, and a swipe removes it from the list', async ({ page, isMobile }) => {
  await openTower(page)
  const isChange = (answer: Response) =>
    answer.url().endsWith('/api/user/favorite') && answer.request().method() !== 'GET'
  const saved = page.waitForResponse(isChange)
  if (isMobile) await doubleTap(page)
  else await page.locator('[data-player] video').first().dblclick({ force: true })
  await expect(page.getByRole('button', { name: 'Remove from favorites' })).toBeVisible()
  // The button and the list do not wait for responses, and leaving the page would cancel a request.
  await saved

  await page.goto('/favorites')
  await expect(listItem(page)).toBeVisible()
  if (isMobile) await swipeLeft(page)
  const removed = page.waitForResponse(isChange)
  await page.getByRole('button', { name: 'Remove “The Test Tower”' }).click()
  await expect(listItem(page)).toHaveCount(0)
  await removed
  await page.reload()
  await expect(page.getByText('Tap the heart on a drama')).toBeVisible()
})

/** Records the episodes whose position the server has saved. */
function recordSavedEpisodes(page: Page): Set<unknown> {
  const savedEpisodes = new Set<unknown>()
  page.on('response', (response) => {
    const request = response.request()
    if (request.method() === 'POST' && new URL(response.url()).pathname === '/api/user/history')
      savedEpisodes.add(request.postDataJSON().episode_id)
  })
  return savedEpisodes
}

test('the history resumes at the saved position, and edit mode clears it @desktop', async ({ page }) => {
  const savedEpisodes = recordSavedEpisodes(page)
  await openTower(page)
  await page.keyboard.press('n')
  await expect(page).toHaveURL(/episode=2/)
  await expectProgress(page)
  await expect.poll(() => savedEpisodes.size).toBe(2)

  await page.goto('/historys')
  await expect(listItem(page)).toContainText('Episode 2')
  await listItem(page).getByRole('link').click()
  await expect(page).toHaveURL(/episode=2/)
  await page.goBack()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('checkbox', { name: tower }).check()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByText('You haven’t watched anything yet.')).toBeVisible()
})

test('arrow keys move through suggestions, and searches are stored until they are cleared @desktop', async ({
  page,
}) => {
  await page.goto('/search')
  const box = page.getByRole('combobox', { name: 'Search' })
  await box.fill('towr')
  await expect(page.getByRole('option', { name: tower })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option', { name: tower })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/videos\//)

  await page.goto('/search')
  await box.fill('tower')
  await expect(page.getByRole('option', { name: tower })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Results for “tower”' })).toBeVisible()
  await expect(page.getByRole('link', { name: tower })).toBeVisible()

  await page.goto('/search')
  await page.getByRole('button', { name: 'Remove “tower”' }).click()
  await expect(page.getByRole('link', { name: 'tower', exact: true })).toHaveCount(0)
})
