import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectMoving, expectPlaying, skipToEnd, swipeUp, towerUrl } from '#e2e/support/watching.ts'

/** Counts, from here on, how often a text has come on screen: it may be gone before anybody looks. */
async function countComings(page: Page, text: string): Promise<() => Promise<number>> {
  await page.addInitScript((wanted) => {
    let there = false
    let comings = 0
    new MutationObserver(() => {
      const isThere = document.body?.textContent?.includes(wanted) ?? false
      if (isThere && !there) document.documentElement.dataset['comings'] = String(++comings)
      there = isThere
    }).observe(document, { subtree: true, childList: true })
  }, text)
  return () => page.evaluate(() => Number(document.documentElement.dataset['comings'] ?? 0))
}

test('somebody new on a phone is told once that a swipe leads on @phone', async ({ page }) => {
  const comings = await countComings(page, 'Swipe up for the next episode')
  await page.goto(await towerUrl(page, 1))
  await expect.poll(comings).toBe(1)
  await swipeUp(page, true)
  await expectPlaying(page, 2)
  await expect(page.getByText('Swipe up for the next episode')).toHaveCount(0)

  await page.goto(await towerUrl(page, 1))
  await expectMoving(page)
  // The hint comes with the neighbour's player; by the end of the episode, which leads on by itself, it is there.
  await expect(page.locator('[data-player] video')).toHaveCount(2)
  await skipToEnd(page)
  await expectPlaying(page, 2)
  expect(await comings()).toBe(0)
})

test('the hint stays its time while somebody presses the buttons beside the picture @phone', async ({
  page,
}) => {
  const hint = page.getByText('Swipe up for the next episode')
  // Its own four seconds are no matter of how busy the machine is.
  await page.addInitScript(() => {
    const begin = window.setTimeout.bind(window)
    const slower = (work: TimerHandler, ms?: number) => begin(work, ms === 4_000 ? 60_000 : ms)
    Object.assign(window, { setTimeout: slower })
  })
  await page.goto(await towerUrl(page, 1))
  await expect(hint).toBeVisible()
  await page.keyboard.press('k')
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  await expect(page.getByRole('button', { name: 'Remove from favorites' })).toBeVisible()
  await expect(hint).toBeVisible()
})

test('the buttons beside the picture say which episode of how many this is, and how many like it @phone', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 2))
  await expectMoving(page)
  await page.keyboard.press('k')
  await expect(page.getByRole('button', { name: /^Episodes, / })).toHaveText('2/6')
  const add = page.getByRole('button', { name: 'Add to favorites' })
  // Other tests of this file have visitors of their own who like the same video.
  const before = await add.innerText()
  await add.click()
  const favorite = page.getByRole('button', { name: 'Remove from favorites' })
  await expect(favorite).toHaveText(String(Number(before) + 1))
  await favorite.click()
  await expect(add).toHaveText(before)
})
