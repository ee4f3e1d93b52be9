import type { Page } from '@playwright/test'
import type { Episode } from '#contract/media.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoLayoutShift, recordLayoutShifts } from '#e2e/support/page-quality.ts'
import { expectProgress, slowDownCountdowns, swipeUp } from '#e2e/support/playback-and-payment.ts'

test.use({ playbackSpeed: 'real' })

const end = (page: Page) => page.getByRole('region', { name: 'The end' })

/** Opens the drama that has only one episode, and plays the episode to its end. */
async function watchToTheEnd(page: Page): Promise<string> {
  await page.goto('/searchDetail/silent')
  await page.getByRole('link', { name: /Wide and Silent/ }).click()
  await expectProgress(page)
  const address = page.url()
  // The slide is rendered below the episode before the episode ends.
  await expect(end(page)).toBeInViewport({ ratio: 0.9 })
  return address
}

test('after its last episode a drama continues automatically with the next drama', async ({ page }) => {
  const address = await watchToTheEnd(page)
  await expect(end(page).getByRole('heading', { name: 'The Test Tower' })).toBeVisible()
  await expect(end(page).getByRole('timer')).toContainText(/Plays in \d seconds?/)
  await expect(page).not.toHaveURL(address)
  await expect(page).toHaveTitle(/The Test Tower/)
  await expectProgress(page)
})

test('nothing moves when the end of a drama appears on screen @screens', async ({ page }) => {
  await slowDownCountdowns(page)
  await page.goto('/searchDetail/silent')
  const path = await page.getByRole('link', { name: /Wide and Silent/ }).getAttribute('href')
  await recordLayoutShifts(page)
  await page.goto(path ?? '')
  await expect(end(page)).toBeInViewport({ ratio: 0.99 })
  await expect(end(page).getByRole('timer')).toContainText(/Plays in \d seconds?/)
  await expectNoLayoutShift(page)
})

test('the countdown can be stopped, and the last episode replayed @screens', async ({ page }) => {
  await slowDownCountdowns(page)
  await watchToTheEnd(page)
  await end(page).getByRole('button', { name: 'Stop' }).click()
  await expect(end(page).getByRole('timer')).toHaveText('')
  await end(page).getByRole('button', { name: 'Watch again' }).click()
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  await expect(page).toHaveTitle(/Wide and Silent/) // stays
})

test('a swipe beyond the end opens the next drama @screens', async ({ page, isMobile }) => {
  await slowDownCountdowns(page)
  await watchToTheEnd(page)
  await end(page).getByRole('button', { name: 'Stop' }).click()
  await swipeUp(page, isMobile)
  await expect(page).toHaveTitle(/The Test Tower/)
  await expectProgress(page)
})

test('a drama with unreleased episodes ends with a note about them @screens', async ({ page, isMobile }) => {
  // Modifies the response: another episode is being converted.
  await page.route(/\/api\/video\/episode\?.*video_id=/, async (route) => {
    const answer = (await (await route.fetch()).json()) as { data: { list: Episode[] } }
    const [first] = answer.data.list
    if (first)
      answer.data.list.push({ ...first, id: 'ep_coming', number: 2, ready: false, duration_ms: null })
    await route.fulfill({ json: answer })
  })
  await page.route(/episode_id=ep_coming/, (route) =>
    route.fulfill({ json: { code: 409, message: '', info: { progress: 0 } } }),
  )
  await page.goto('/searchDetail/silent')
  await page.getByRole('link', { name: /Wide and Silent/ }).click()
  await expectProgress(page)
  await expect(page.getByRole('heading', { name: 'Coming soon' })).toBeInViewport({
    ratio: 0.9,
  })
  await swipeUp(page, isMobile)
  const end = page.getByRole('region', { name: 'To be continued' })
  await expect(end).toBeInViewport({ ratio: 0.9 })
  await expect(end).toContainText(
    'Some episodes are not out yet. They unlock automatically when they are released.',
  )
})

test('after a phone is rotated and immediately rotated back, the end of the drama stays on screen @screens', async ({
  page,
}) => {
  await slowDownCountdowns(page)
  await watchToTheEnd(page)
  await end(page).getByRole('button', { name: 'Stop' }).click()
  // Simulates an occasional behaviour of Chromium. It lays out and scrolls the page for the low window. The page gets
  // the resize event later, when the window is high again.
  const position = await page.evaluate(async () => {
    const feed = document.querySelector('[data-player] [role=region]')
    feed?.scrollTo({ top: 0, behavior: 'instant' })
    dispatchEvent(new Event('resize'))
    // Waits until the scroll events have been dispatched.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return (feed?.scrollTop ?? 0) / (feed?.clientHeight ?? 1)
  })
  expect(position).toBe(1)
  const { width, height } = page.viewportSize() ?? { width: 390, height: 844 }
  await page.setViewportSize({ width: height, height: width })
  await expect(end(page)).toBeInViewport({ ratio: 0.9 })
  await expect(end(page).getByRole('button', { name: 'Watch again' })).toBeVisible()
})
