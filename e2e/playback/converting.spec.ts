import type { Page } from '@playwright/test'
import type { Episode } from '#contract/media.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectPlaying, expectProgress, lockedPanel } from '#e2e/support/playback-and-payment.ts'

/**
 * Modifies responses: the episode with this number is being converted until the returned function is called. The first
 * list of episodes after the call is still the previous one, as from the server's cache.
 */
async function mockConversion(page: Page, number: number): Promise<() => void> {
  let convertingId: string | undefined
  let isReady = false
  let isListOutdated = true
  await page.route(/\/api\/video\/episode\?.*video_id=/, async (route) => {
    const isOutdated = isListOutdated
    isListOutdated = !isReady
    const answer = (await (await route.fetch()).json()) as { data: { list: Episode[] } }
    const episode = answer.data.list.find((each) => each.number === number)
    if (episode && isOutdated) {
      convertingId = episode.id
      Object.assign(episode, { ready: false, duration_ms: null, thumb_url: null })
    }
    await route.fulfill({ json: answer })
  })
  await page.route(/\/api\/video\/episode\?.*episode_id=/, (route) =>
    !isReady && convertingId !== undefined && route.request().url().includes(convertingId)
      ? route.fulfill({ json: { code: 409, message: '', info: { progress: 40 } } })
      : route.fallback(),
  )
  return () => void (isReady = true)
}

/** Opens the test drama from a list. A page that is opened by its URL has the episodes embedded. */
async function openTower(page: Page): Promise<void> {
  await page.goto('/searchDetail/tower')
  await page.getByRole('link', { name: /The Test Tower/ }).click()
  await expectProgress(page)
}

const tile = (page: Page, number: number) =>
  page
    .getByRole('list', { name: 'Episodes' })
    .getByRole('button', { name: new RegExp(`^Episode ${number}\\b`) })
const openList = (page: Page) => page.getByRole('button', { name: 'Episodes' }).click()

test('an episode that is being converted plays once it is ready, and the list of episodes shows its duration', async ({
  page,
}) => {
  const finishConversion = await mockConversion(page, 2)
  await openTower(page)
  await openList(page)
  await expect(tile(page, 2)).toContainText('Coming soon')
  await tile(page, 2).click()
  await expect(page.getByText('It starts automatically as soon as it’s ready.')).toBeInViewport()
  finishConversion()
  await expectPlaying(page, 2)
  await openList(page)
  await expect(tile(page, 2)).toContainText(/\d:\d\d/)
})

test('a locked episode that is being converted is offered once it is ready @screens', async ({ page }) => {
  const finishConversion = await mockConversion(page, 4)
  await openTower(page)
  await openList(page)
  await tile(page, 4).click()
  await expect(page.getByText('You can unlock it as soon as it’s ready.')).toBeInViewport()
  await expect(page.getByText('It starts automatically')).toHaveCount(0)
  finishConversion()
  await expect(lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' })).toBeVisible()
  await openList(page)
  await expect(tile(page, 4)).toContainText('Locked')
})
