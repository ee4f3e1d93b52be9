import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress, towerUrl } from '#e2e/support/playback-and-payment.ts'

declare global {
  interface Window {
    reportVideoError?: () => void
  }
}

/** Console messages of the browser for missing files. */
test.use({ allowedConsoleMessages: /ERR_FAILED|ERR_INTERNET_DISCONNECTED|status of 410/ })

const first = (page: Page) => page.locator('video').first()
const sourceOf = (page: Page) => first(page).evaluate((video: HTMLVideoElement) => video.currentSrc)

test('an episode plays before any script of the site has loaded', async ({ page }) => {
  await page.route(/\.js$/, (route) => route.abort())
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  expect(await sourceOf(page)).toMatch(/master\.m3u8$/)
})

test('the page requests no interface files before the first frame', async ({ page }) => {
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
  const { picture, early } = await page.evaluate(() => {
    const fetched = performance
      .getEntriesByType('resource')
      .map((entry) => entry as PerformanceResourceTiming)
    const picture = fetched.find(({ name }) => /\/v\d\/00000\.m4s$/.test(name))?.responseEnd ?? 0
    const files = fetched.filter(({ name }) => /\.(js|css|woff2)$/.test(name))
    return { picture, early: files.filter(({ startTime }) => startTime < picture).map(({ name }) => name) }
  })
  expect(picture).toBeGreaterThan(0)
  expect(early).toEqual([])
})

test('the interface loads even if the stream does not @screens', async ({ page }) => {
  await page.route(/master\.m3u8$/, () => {})
  await page.goto(await towerUrl(page, 1))
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
})

test('if the connection is lost before the interface has loaded, the interface loads when the connection is back', async ({
  page,
  context,
}) => {
  await page.route(/\.js$/, (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => /index-[^/]+\.js$/.test(request.url()))
  await page.goto(await towerUrl(page, 1))
  await failed
  await page.unroute(/\.js$/)
  await context.setOffline(true)
  await context.setOffline(false)
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
})

for (const offline of [false, true])
  test(`the interface loads after one of its modules failed to load, ${offline ? 'offline' : 'online'}`, async ({
    page,
    context,
  }) => {
    let requestCount = 0
    await page.route(/\/start-[^/]+\.js$/, async (route) => {
      if (requestCount++ > 0) return route.fallback()
      if (offline) await context.setOffline(true)
      await route.abort()
    })
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/start-'))
    await page.goto(await towerUrl(page, 1))
    await failed
    await context.setOffline(false)
    await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
    expect(requestCount).toBeGreaterThan(1)
  })

test('the native player starts at the saved position', async ({ page }) => {
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  // Pauses the episode, because the player must not save a position after the test has posted one.
  await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter')
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeAttached()
  await page.goto('about:blank')
  const path = await towerUrl(page, 1)
  const video_id = /vid_\w+/.exec(path)?.[0] ?? ''
  const list = await page.request.get(`/api/video/episode?video_id=${video_id}`)
  const { data } = (await list.json()) as { data: { list: { id: string }[] } }
  await page.request.post('/api/user/history', {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: { video_id, episode_id: data.list[0]?.id, position_ms: 3000, at: new Date().toISOString() },
  })
  await page.route(/\.js$/, (route) => route.abort())
  await page.goto(path)
  await expectProgress(page)
  expect(await first(page).evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(2.5)
})

/** Records the renditions that hls.js requests from now on, by asset. */
function recordRenditions(page: Page): Map<string, Set<string>> {
  const renditionsByAsset = new Map<string, Set<string>>()
  page.on('request', (request) => {
    const [, asset, rendition] = /(ast_[\w-]+)\/(v\d)\//.exec(request.url()) ?? []
    if (!asset || !rendition || request.resourceType() !== 'xhr') return
    renditionsByAsset.set(asset, (renditionsByAsset.get(asset) ?? new Set()).add(rendition))
  })
  return renditionsByAsset
}

test('hls.js starts with the rendition chosen on an earlier visit, and requests no other rendition @screens', async ({
  page,
}) => {
  await page.addInitScript(() => localStorage.setItem('player', JSON.stringify({ quality: 240 })))
  const renditionsByAsset = recordRenditions(page)
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  const hasBufferedData = () =>
    page
      .locator('video')
      .evaluateAll((all: HTMLVideoElement[]) => all.map(({ readyState }) => readyState >= 3))
  await expect.poll(hasBufferedData).toEqual([true, true])
  expect(await first(page).evaluate((video: HTMLVideoElement) => video.videoHeight)).toBeLessThan(430)
  // The episode and the adjacent episode each requested one rendition.
  expect([...renditionsByAsset.values()].map(({ size }) => size)).toEqual([1, 1])
})

test('hls.js switches to the chosen rendition at the same position, and requests no other rendition @screens', async ({
  page,
}) => {
  const renditionsByAsset = recordRenditions(page)
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  // Pauses with the button. An interface that is still loading would resume an episode that was paused in another way.
  await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter')
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeAttached()
  await first(page).evaluate((video: HTMLVideoElement) => (video.currentTime = 2.5))
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  const asset = /ast_[\w-]+/.exec(await sourceOf(page))?.[0] ?? ''
  renditionsByAsset.clear()
  await page.getByRole('dialog').getByText('240p').click()
  await expect.poll(() => sourceOf(page)).toMatch(/^blob:/)
  await page.keyboard.press('Escape')
  await expect
    .poll(() =>
      first(page).evaluate((video: HTMLVideoElement) => [video.videoHeight < 430, video.currentTime]),
    )
    .toEqual([true, 2.5])
  // Requests of the adjacent episode may still be pending.
  expect(renditionsByAsset.get(asset)?.size).toBe(1)
})

test.describe('when an episode keeps playing', () => {
  test.use({ playbackSpeed: 'real' })

  test('hls.js takes over when a segment fails to load', async ({ page }) => {
    let requestCount = 0
    await page.route(/\/v\d\/00002\.m4s/, (route) =>
      requestCount++ === 0 ? route.abort() : route.fallback(),
    )
    await page.goto(await towerUrl(page, 1))
    await expect.poll(() => sourceOf(page)).toMatch(/^blob:/)
    await expect
      .poll(() => first(page).evaluate((video: HTMLVideoElement) => video.currentTime))
      .toBeGreaterThan(3)
    expect(requestCount).toBeGreaterThan(1)
  })

  test('a signed URL that is refused during playback is renewed, and the episode continues @screens', async ({
    page,
  }) => {
    let refused = 0
    const path = await towerUrl(page, 1)
    // The document's signed URLs are old and valid only for the beginning.
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch()
      const body = await response.text()
      await route.fulfill({ response, body: body.replaceAll('/media/', '/media/old.') })
    })
    await page.route(/\/media\/old\./, async (route) => {
      const url = route.request().url()
      if (!/\/v\d\/0000[1-9]/.test(url))
        return route.fulfill({ response: await route.fetch({ url: url.replace('/media/old.', '/media/') }) })
      refused++
      return route.fulfill({ status: 410 })
    })
    await page.goto(path)
    await expect
      .poll(() => first(page).evaluate((video: HTMLVideoElement) => video.currentTime))
      .toBeGreaterThan(3)
    expect(refused).toBeGreaterThan(0)
  })
})

test('hls.js plays a stream that failed before the scripts loaded @screens', async ({ page }) => {
  let requestCount = 0
  const failed = Promise.withResolvers<void>()
  await page.exposeFunction('reportVideoError', () => failed.resolve())
  await page.addInitScript(() => {
    const forwardError = ({ target }: Event) =>
      target instanceof HTMLVideoElement && window.reportVideoError?.()
    addEventListener('error', forwardError, true)
  })
  await page.route(/master\.m3u8/, (route) => (requestCount++ === 0 ? route.abort() : route.fallback()))
  await page.route(/\.js$/, async (route) => {
    await failed.promise
    await route.fallback()
  })
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  expect(await sourceOf(page)).toMatch(/^blob:/)
  await expect(page.locator('body > video')).toHaveCount(0)
})
