import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress, towerUrl } from '#e2e/support/playback-and-payment.ts'

test.use({ playbackSpeed: 'real' })

/** Console messages of the browser for missing or invalid files. */
test.use({ allowedConsoleMessages: /ERR_FAILED|ERR_INTERNET_DISCONNECTED|status of (404|500)/ })

const first = (page: Page) => page.locator('video').first()
/** Returns the position in seconds; 0 while the page reloads, which is a valid recovery. */
const secondOf = (page: Page) =>
  first(page)
    .evaluate((video: HTMLVideoElement) => video.currentTime)
    .catch(() => 0)
const failure = (page: Page) => page.getByText('This video didn’t play.')

/** Makes hls.js play from the start by choosing a rendition. */
async function forceHls(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('player', JSON.stringify({ quality: 640 })))
}

/** Matches the third segment of an episode. This segment begins at second 2. */
const thirdSegment = /\/v\d\/00002\.m4s/

// hls.js takes over when the native player fails, so `npm test` runs only the tests of hls.js.
for (const [player, prepare] of [
  ['the native player @screens', async () => {}],
  ['hls.js', forceHls],
] as const)
  test.describe(`played by ${player}`, () => {
    test.beforeEach(({ page }) => prepare(page))

    test('a segment that fails twice is retried, and the episode continues', async ({ page }) => {
      let failed = 0
      await page.route(thirdSegment, (route) =>
        failed++ < 2 ? route.fulfill({ status: 500 }) : route.fallback(),
      )
      await page.goto(await towerUrl(page, 1))
      await expect.poll(() => secondOf(page)).toBeGreaterThan(3)
    })

    test('a missing segment shows an error, and "Try again" continues the episode @screens', async ({
      page,
    }) => {
      let requestCount = 0
      await page.route(thirdSegment, (route) => (requestCount++, route.fulfill({ status: 404 })))
      await page.goto(await towerUrl(page, 1))
      await expect(failure(page)).toBeVisible()
      const requestsUntilError = requestCount
      await page.unroute(thirdSegment)
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => secondOf(page)).toBeGreaterThan(3)
      expect(requestsUntilError).toBeLessThan(40)
    })

    test('a damaged segment is skipped without endless retries @screens', async ({ page }) => {
      let requestCount = 0
      await page.route(thirdSegment, (route) => {
        requestCount++
        return route.fulfill({ contentType: 'video/iso.segment', body: Buffer.alloc(60_000, 7) })
      })
      await page.goto(await towerUrl(page, 1))
      await expect.poll(() => secondOf(page)).toBeGreaterThan(4.5)
      expect(requestCount).toBeGreaterThan(0)
      expect(requestCount).toBeLessThan(40)
    })

    test('a lost connection is shown, and the episode continues automatically when the connection is back', async ({
      page,
      context,
    }) => {
      const connectionLost = Promise.withResolvers<void>()
      await page.route(thirdSegment, async (route) => {
        await connectionLost.promise
        await route.abort('internetdisconnected')
      })
      await page.goto(await towerUrl(page, 1))
      await expectProgress(page)
      await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
      // The status line loads after the interface, so the connection must last until then.
      await expect(page.locator('div[role=status]:empty').first()).toBeAttached()
      await context.setOffline(true)
      connectionLost.resolve()
      await expect(page.getByText(/You’re offline/)).toBeVisible()
      await page.unroute(thirdSegment)
      await context.setOffline(false)
      await expect.poll(() => secondOf(page)).toBeGreaterThan(3)
    })
  })

test('if the request for hls.js fails only after the lost connection has returned, the episode continues @screens', async ({
  page,
  context,
}) => {
  const connectionLost = Promise.withResolvers<void>()
  const connectionBack = Promise.withResolvers<void>()
  const failUntilBack = (url: RegExp, failAfter: Promise<void>) => {
    let isBack = false
    void connectionBack.promise.then(() => (isBack = true))
    return page.route(url, async (route) => {
      if (isBack) return route.fallback()
      await failAfter
      return route.abort('internetdisconnected')
    })
  }
  await failUntilBack(thirdSegment, connectionLost.promise)
  await failUntilBack(/\/hls-player-/, connectionBack.promise)
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
  const hlsRequest = page.waitForRequest(/\/hls-player-/)
  connectionLost.resolve()
  await hlsRequest
  await context.setOffline(true)
  await context.setOffline(false)
  connectionBack.resolve()
  await expect.poll(() => secondOf(page)).toBeGreaterThan(3)
})

test('a loading indicator is shown for a slow segment @screens', async ({ page }) => {
  await forceHls(page)
  const segmentHold = Promise.withResolvers<void>()
  await page.route(thirdSegment, async (route) => {
    await segmentHold.promise
    await route.fallback()
  })
  await page.goto(await towerUrl(page, 1))
  const spinner = page.getByRole('status', { name: 'Loading' })
  await expect.poll(() => secondOf(page)).toBeGreaterThan(1)
  // The indicator is transparent at first.
  await expect(spinner).toHaveCSS('opacity', '1')
  segmentHold.resolve()
  await expect(spinner).toBeHidden()
  await expect.poll(() => secondOf(page)).toBeGreaterThan(3)
})

test('a browser without the codecs recommends another browser', async ({ page }) => {
  await page.addInitScript(() => {
    HTMLMediaElement.prototype.canPlayType = () => ''
    MediaSource.isTypeSupported = () => false
  })
  await page.goto(await towerUrl(page, 1))
  await expect(page.getByText('This browser can’t play this episode.')).toBeVisible()
})

test('if autoplay with sound is blocked, the episode plays muted and shows an unmute button @screens', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
      return this.muted || navigator.userActivation.hasBeenActive
        ? play.call(this)
        : Promise.reject(new DOMException('no tap yet', 'NotAllowedError'))
    }
  })
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await page.getByRole('button', { name: 'Turn on sound' }).click()
  await expect.poll(() => first(page).evaluate((video: HTMLVideoElement) => video.muted)).toBe(false)
})

test('in the background, an episode pauses and its requests end; in the foreground, it continues', async ({
  page,
}) => {
  await forceHls(page)
  const requestedUrls: string[] = []
  const failedUrls: string[] = []
  const hold = Promise.withResolvers<void>()
  await page.route(thirdSegment, async (route) => {
    requestedUrls.push(route.request().url())
    await hold.promise
    await route.fallback().catch(() => {})
  })
  page.on('requestfailed', (request) => thirdSegment.test(request.url()) && failedUrls.push(request.url()))
  await page.goto(await towerUrl(page, 1))
  await expect.poll(() => requestedUrls.length).toBeGreaterThan(0)
  await expectProgress(page)
  await setVisibility(page, 'hidden')
  await expect.poll(() => first(page).evaluate((video: HTMLVideoElement) => video.paused)).toBe(true)
  await expect.poll(() => failedUrls.length).toBe(requestedUrls.length)
  const before = requestedUrls.length
  await setVisibility(page, 'visible')
  await expect.poll(() => requestedUrls.length).toBeGreaterThan(before)
  hold.resolve()
  await expect.poll(() => secondOf(page)).toBeGreaterThan(3)
})

/** Sends the page the events of going to the background or foreground. */
async function setVisibility(page: Page, state: DocumentVisibilityState): Promise<void> {
  await page.evaluate((visibility) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => visibility === 'hidden' })
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}
