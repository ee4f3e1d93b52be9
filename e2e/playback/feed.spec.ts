import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import {
  expectProgress,
  expectPlaying,
  skipToEnd,
  swipeUp,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

/** Counts from now on how often a text appears, because it may disappear before a check. */
async function countAppearances(page: Page, text: string): Promise<() => Promise<number>> {
  await page.addInitScript((wanted) => {
    let wasVisible = false
    let appearances = 0
    new MutationObserver(() => {
      const isVisible = document.body?.textContent?.includes(wanted) ?? false
      if (isVisible && !wasVisible) document.documentElement.dataset['appearances'] = String(++appearances)
      wasVisible = isVisible
    }).observe(document, { subtree: true, childList: true })
  }, text)
  return () => page.evaluate(() => Number(document.documentElement.dataset['appearances'] ?? 0))
}

test('a new visitor on a phone sees the swipe hint once @screens', async ({ page }) => {
  const appearances = await countAppearances(page, 'Swipe up for the next episode')
  await page.goto(await towerUrl(page, 1))
  await expect.poll(appearances).toBe(1)
  await swipeUp(page, true)
  await expectPlaying(page, 2)
  await expect(page.getByText('Swipe up for the next episode')).toHaveCount(0)

  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  // The hint would appear when the adjacent player is mounted. Waits for that player before the episode ends.
  await expect(page.locator('[data-player] video')).toHaveCount(2)
  await skipToEnd(page)
  await expectPlaying(page, 2)
  expect(await appearances()).toBe(0)
})

test('a press of a button beside the video does not hide the swipe hint', async ({ page }) => {
  const hint = page.getByText('Swipe up for the next episode')
  // Shows the hint for a minute instead of four seconds, so that a busy machine can press the buttons in time.
  await page.addInitScript(() => {
    const originalSetTimeout = window.setTimeout.bind(window)
    const slowSetTimeout = (handler: TimerHandler, ms?: number) =>
      originalSetTimeout(handler, ms === 4_000 ? 60_000 : ms)
    Object.assign(window, { setTimeout: slowSetTimeout })
  })
  await page.goto(await towerUrl(page, 1))
  await expect(hint).toBeVisible()
  await page.keyboard.press('k')
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  await expect(page.getByRole('button', { name: 'Remove from favorites' })).toBeVisible()
  await expect(hint).toBeVisible() // stays
})

test('the buttons beside the video show the episode number and total, and the number of likes', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 2))
  await expectProgress(page)
  // The video may start to play before the interface is mounted, and only the interface handles keys.
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
  await page.keyboard.press('k')
  await expect(page.getByRole('button', { name: /^Episodes, / })).toHaveText('2/6')
  const add = page.getByRole('button', { name: 'Add to favorites' })
  // Visitors of other tests in this file like the same video.
  const before = await add.innerText()
  await add.click()
  const favorite = page.getByRole('button', { name: 'Remove from favorites' })
  await expect(favorite).toHaveText(String(Number(before) + 1))
  await favorite.click()
  await expect(add).toHaveText(before)
})
