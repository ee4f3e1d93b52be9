import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress, expectPlaying, towerUrl } from '#e2e/support/playback-and-payment.ts'

test.use({ allowedConsoleMessages: /status of 404/ })

const secondOf = (page: Page) =>
  page
    .locator('video')
    .first()
    .evaluate((video: HTMLVideoElement) => video.currentTime)

/** Records the analytics events that the player sends, by name. */
function recordPlayerEvents(page: Page): Map<string, Record<string, string>[]> {
  const events = new Map<string, Record<string, string>[]>()
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    const { event = '', ...fields } = Object.fromEntries(searchParams)
    if (pathname === '/api/statics.png') events.set(event, [...(events.get(event) ?? []), fields])
  })
  return events
}

test('the player reports the start-up time of an episode, after a link and after a swipe', async ({
  page,
}) => {
  const events = recordPlayerEvents(page)
  await page.goto(await towerUrl(page, 1))
  await expect.poll(() => events.get('play_start')?.length).toBe(1)
  await page.keyboard.press('n')
  await expectPlaying(page, 2)
  await expect.poll(() => events.get('play_start')?.length).toBe(2)
  const [first, second] = events.get('play_start') ?? []
  expect(first).toMatchObject({ way: 'link', player: 'own', episode_id: expect.stringMatching(/^ep_/) })
  expect(Number(first?.['ms'])).toBeGreaterThan(0)
  expect(second).toMatchObject({ way: 'swipe', height: expect.stringMatching(/^\d+$/) })
  expect(second?.['episode_id']).not.toBe(first?.['episode_id'])
})

test('a stall is reported when playback resumes, or as a failure if playback does not resume @screens', async ({
  page,
}) => {
  const events = recordPlayerEvents(page)
  await page.addInitScript(() => localStorage.setItem('player', JSON.stringify({ quality: 640 })))
  const segmentHold = Promise.withResolvers<void>()
  await page.route(/\/v\d\/00002\.m4s/, async (route) => {
    await segmentHold.promise
    await route.fallback()
  })
  await page.goto(await towerUrl(page, 1))
  await expect.poll(() => secondOf(page)).toBeGreaterThan(1)
  // When the indicator is visible, the pause has lasted long enough to count as a stall.
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCSS('opacity', '1')
  segmentHold.resolve()
  // The delayed segment begins at second 2 of the episode. Other stalls are ignored: a busy machine may cause them.
  const stallsAtHeldSegment = () =>
    (events.get('play_stall') ?? []).filter(({ at_ms }) => Math.round(Number(at_ms) / 1000) === 2)
  await expect.poll(() => stallsAtHeldSegment().length).toBe(1)
  expect(Number(stallsAtHeldSegment()[0]?.['ms'])).toBeGreaterThan(100)
  await page.route(/\.m3u8|\.m4s/, (route) => route.fulfill({ status: 404 }))
  await page.goto(await towerUrl(page, 1))
  await expect(page.getByText('This video didn’t play.')).toBeVisible()
  await expect.poll(() => events.get('play_error')).toMatchObject([{ what: 'broken' }])
})

test("the system's media controls show and control the episode on screen", async ({ page }) => {
  await page.addInitScript(() => {
    const handlers: Record<string, MediaSessionActionHandler | null> = {}
    Object.assign(window, { handlers })
    navigator.mediaSession.setActionHandler = (action, handler) => {
      handlers[action] = handler
    }
  })
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  const title = () => page.evaluate(() => navigator.mediaSession.metadata?.title)
  await expect.poll(title).toContain('Episode 1')
  expect(await page.evaluate(() => navigator.mediaSession.metadata?.artist)).toBe('The Test Tower')
  await page.evaluate(() => Reflect.get(window, 'handlers').nexttrack({ action: 'nexttrack' }))
  await expectPlaying(page, 2)
  await expect.poll(title).toContain('Episode 2')
})
