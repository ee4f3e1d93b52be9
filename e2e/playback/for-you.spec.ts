import type { Page } from '@playwright/test'
import { getHomepage, queryHomepage, type VideoCard } from '#contract/catalog.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import {
  expectAccessible,
  expectNoLayoutShift,
  expectNoOverflow,
  recordLayoutShifts,
} from '#e2e/support/page-quality.ts'
import {
  expectProgress,
  skipToEnd,
  slowDownCountdowns,
  swipeUp,
  towerId,
} from '#e2e/support/playback-and-payment.ts'

/** Returns the URL of the section with recommendations. */
async function feedSectionUrl(page: Page): Promise<string> {
  const answer = await page.request.get(getHomepage.path)
  return `/more/${(await answer.json()).info.feed}`
}

const onScreen = (page: Page) => page.locator('[data-player] [role=region] > :not([inert])')

test('recommendations open as a feed, a swipe shows the next drama, and going back from the drama’s page returns to the feed @sizes', async ({
  page,
  isMobile,
}) => {
  const list = await feedSectionUrl(page)
  await page.goto(list)
  await page.getByRole('link', { name: 'Watch as a feed' }).click()
  await expectProgress(page)
  await expectAccessible(page)
  await expectNoOverflow(page)
  const first = await page.title()
  await swipeUp(page, isMobile)
  await expect(page).not.toHaveTitle(first)
  await expectProgress(page)
  const second = await page.title()
  const address = page.url()
  expect(address).toMatch(/\?feed=vid_/)
  // On a phone, the button is in the player. On a desktop, a link beside the player replaces the button.
  const all = isMobile
    ? onScreen(page).getByRole('button', { name: 'All episodes' })
    : page.getByRole('complementary').getByRole('link', { name: 'All episodes' })
  await expect(onScreen(page)).toBeInViewport({ ratio: 0.99 })
  // Presses a key instead of touching the button: a phone's controls fade during playback, so the first touch would
  // only show them.
  await all.press('Enter')
  await expect(page).toHaveURL(/\/videos\/vid_/)
  await page.goBack()
  await expect(page).toHaveURL(address)
  await expect(page).toHaveTitle(second)
  await expectProgress(page)
})

test('the feed does not move when the data of its first drama arrives after the list @screens @sizes', async ({
  page,
}) => {
  await recordLayoutShifts(page)
  await page.route(/\/api\/video\?/, async (route) => {
    await expect(page.locator('[data-player]')).toBeVisible()
    await route.continue()
  })
  await page.goto(`${await feedSectionUrl(page)}?feed=${await towerId(page)}`)
  await expectProgress(page)
  await expectNoLayoutShift(page)
})

test('a horizontal swipe opens the drama @screens', async ({ page }) => {
  await page.goto(`${await feedSectionUrl(page)}?feed=`)
  await expectProgress(page)
  await onScreen(page)
    .locator('[data-sideways]')
    .evaluate((each) => each.scrollTo({ left: each.clientWidth }))
  await expect(page).toHaveURL(/\/videos\/vid_/)
  await expectProgress(page)
})

test('a feed that opens at the last loaded drama loads more dramas without a swipe @sizes @screens', async ({
  page,
}) => {
  const answer = await page.request.get(`${queryHomepage.path}?sort=popular`)
  const { data } = (await answer.json()) as { data: { list: VideoCard[] } }
  const tower = data.list.find(({ title }) => title === 'The Test Tower')
  const other = data.list.find(({ title }) => title === 'Wide and Silent')
  const cursors: (string | null)[] = []
  await page.route(`**${queryHomepage.path}*`, (route) => {
    const cursor = new URL(route.request().url()).searchParams.get('cursor')
    cursors.push(cursor)
    const unseen = Array.from({ length: 8 }, (_, index) => ({ ...other, id: `vid_${index}` }))
    const found = cursor
      ? { list: [], next_cursor: null }
      : { list: [...unseen, other, tower], next_cursor: 'two' }
    return route.fulfill({ json: { code: 200, data: { title: 'For you', sorts: [], ...found } } })
  })
  await page.goto(`${await feedSectionUrl(page)}?feed=${tower?.id}`)
  await expect(page).toHaveTitle(/^The Test Tower/)
  await expect.poll(() => cursors).toContain('two')
})

test('the feed ends with a message and a link @sizes @screens', async ({ page }) => {
  await page.goto(`${await feedSectionUrl(page)}?feed=`)
  await expectProgress(page)
  const endMessage = page.getByText('You’re all caught up.')
  await expect(async () => {
    await page.keyboard.press('n')
    await expect(endMessage).toBeInViewport({ timeout: 500 })
  }).toPass()
  await expect(page.getByRole('link', { name: 'Browse dramas' })).toBeInViewport()
  await expectAccessible(page)
})

test.describe('at normal speed', () => {
  test.use({ playbackSpeed: 'real' })

  test('when an episode ends in the feed, the next episode of its drama plays @sizes @screens', async ({
    page,
  }) => {
    await page.goto(`${await feedSectionUrl(page)}?feed=${await towerId(page)}`)
    await expect(page).toHaveTitle(/^The Test Tower/)
    await expect(onScreen(page)).toBeInViewport({ ratio: 0.99 })
    await skipToEnd(page)
    await expect(page).toHaveURL(/\/videos\/vid_\w+\?episode=2/)
    await expectProgress(page)
  })

  test('the end of a drama links to the feed @sizes @screens', async ({ page }) => {
    await slowDownCountdowns(page)
    await page.goto('/searchDetail/silent')
    await page.getByRole('link', { name: /Wide and Silent/ }).click()
    const end = page.getByRole('region', { name: 'The end' })
    await expect(end).toBeInViewport({ ratio: 0.9 })
    await end.getByRole('button', { name: 'Stop' }).click()
    await end.getByRole('link', { name: 'For you' }).click()
    await expect(page).toHaveURL(/\/more\/sec_\w+\?feed=/)
    await expectProgress(page)
  })
})
