import type { Page, Route } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import {
  expectProgress,
  expectPlaying,
  currentSecond,
  repeatEpisode,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

declare global {
  interface Window {
    reportSpeed?: (bytesEachMs: number) => void
  }
}

test.use({ playbackSpeed: 'real' })
test.use({ allowedConsoleMessages: /ERR_FAILED|status of (403|404|500)/ })

/** Matches the fifth segment of an episode. Only the first four segments of an adjacent episode are preloaded. */
const fifthSegment = /\/v\d\/00004\.m4s/

/**
 * Plays the first episode until the worker runs, and then the second episode. The worker loads the segments of the
 * second episode that were not preloaded.
 * @param prepare sets up faults before the second episode, so that they affect only the worker
 */
async function watchSecond(page: Page, prepare: () => Promise<unknown> = async () => {}): Promise<void> {
  const workerStarted = page.waitForEvent('worker')
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await repeatEpisode(page)
  await workerStarted
  await prepare()
  await page.keyboard.press('n')
  await expectPlaying(page, 2)
  await repeatEpisode(page)
}

const expectToContinue = (page: Page) => expect.poll(() => currentSecond(page)).toBeGreaterThan(4.5)

/** Expects that the page itself loaded the fifth segment of at most one episode, the first. The worker loads others. */
async function expectNotLoadedByPage(page: Page): Promise<void> {
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  expect(
    new Set(loaded.filter((name) => fifthSegment.test(name)).map((name) => name.replace(/v\d.*/, ''))).size,
  ).toBeLessThan(2)
}

const failure = (page: Page) => page.getByText('This video didn’t play.')

test('the worker loads the segments of later episodes and reports their speed', async ({ page }) => {
  const reportedSpeed = Promise.withResolvers<number>()
  await page.exposeFunction('reportSpeed', reportedSpeed.resolve)
  await page.addInitScript(() => {
    const listen = Worker.prototype.addEventListener
    Worker.prototype.addEventListener = function (this: Worker, ...args: Parameters<typeof listen>) {
      listen.call(this, 'message', (event) => {
        // The format of the worker's messages.
        const { url = '', transfer } = (event as MessageEvent).data as {
          url?: string
          transfer?: PerformanceResourceTiming
        }
        if (!/\/v\d\/00004/.test(url) || !transfer?.transferSize) return
        window.reportSpeed?.(transfer.encodedBodySize / (transfer.responseEnd - transfer.responseStart))
      })
      return listen.apply(this, args)
    }
  })
  const requestedUrls: string[] = []
  page.on('request', (request) => fifthSegment.test(request.url()) && requestedUrls.push(request.url()))
  await watchSecond(page)
  await expectToContinue(page)
  expect(await reportedSpeed.promise).toBeGreaterThan(0)
  expect(requestedUrls).not.toHaveLength(0)
  await expectNotLoadedByPage(page)
})

test('a segment that fails twice in the worker is retried, and the episode continues @screens', async ({
  page,
}) => {
  let failed = 0
  await watchSecond(page, () =>
    page.route(fifthSegment, (route) => (failed++ < 2 ? route.fulfill({ status: 500 }) : route.fallback())),
  )
  await expectToContinue(page)
  expect(failed).toBeGreaterThan(2)
  await expectNotLoadedByPage(page)
})

test('a segment that returns 404 to the worker shows an error, and "Try again" continues the episode @screens', async ({
  page,
}) => {
  await watchSecond(page, () => page.route(fifthSegment, (route) => route.fulfill({ status: 404 })))
  await expect(failure(page)).toBeVisible()
  await expectNotLoadedByPage(page)
  await page.unroute(fifthSegment)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expectToContinue(page)
})

test('a signed URL that is refused in the worker is renewed, and the episode continues @screens', async ({
  page,
}) => {
  const refused = new Set<string>()
  const refuseFirst = (route: Route) => {
    const link = route.request().url().replace(/v\d.*/, '')
    if (refused.size > 0 && !refused.has(link)) return route.fallback()
    refused.add(link)
    return route.fulfill({ status: 403 })
  }
  await watchSecond(page, () => page.route(fifthSegment, refuseFirst))
  await expectToContinue(page)
  expect(refused.size).toBe(1)
  await expectNotLoadedByPage(page)
})

test('the page loads segments if the worker’s script fails to load @screens', async ({ page }) => {
  const workerRequest = page.waitForRequest(/\/segment-worker-/)
  await page.route(/\/segment-worker-/, (route) => route.abort())
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await repeatEpisode(page)
  await workerRequest
  await page.keyboard.press('n')
  await expectPlaying(page, 2)
  await repeatEpisode(page)
  await expectToContinue(page)
})
