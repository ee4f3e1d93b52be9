import type { CDPSession, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

const episodes = 220
const warmUp = 20
const swipes = 200
const quickSteps = 40
/** HTMLMediaElement.HAVE_ENOUGH_DATA */
const enoughData = 4

/** Metrics that must not grow with swipes. */
const stableMetrics = ['Nodes', 'JSEventListeners', 'ResourceFetchers'] as const
/**
 * The allowed growth of memory per episode in bytes. It is not zero, because an episode's data is cached for a while.
 */
const maxBytesPerEpisode = 30_000

/** Extends the test drama. Every episode plays the video of the first episode. */
async function extendDrama(page: Page): Promise<void> {
  await page.route(/\/api\/video\/episode\?.*video_id=/, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = (await response.json()) as { data: { list: object[] } }
    const list = Array.from({ length: episodes }, (_, i) =>
      i === 0 ? data.list[0] : { ...data.list[0], id: `ep_more_${i + 1}`, number: i + 1 },
    )
    await route.fulfill({ response, json: { ...rest, data: { ...data, list } } })
  })
  let firstId = ''
  await page.route(/\/api\/video\/episode\?.*episode_id=/, async (route) => {
    const url = new URL(route.request().url())
    const id = url.searchParams.get('episode_id') ?? ''
    if (!id.startsWith('ep_more_')) {
      firstId = id
      return route.fallback()
    }
    url.searchParams.set('episode_id', firstId)
    const response = await route.fetch({ url: url.href })
    const { info } = (await response.json()) as { info: { episode: object } }
    const number = Number(id.replace('ep_more_', ''))
    return route.fulfill({
      response,
      json: { code: 200, info: { ...info, episode: { ...info.episode, id, number } } },
    })
  })
}

/** Measures after garbage collection. */
async function measure(devtools: CDPSession) {
  for (let i = 0; i < 4; i++) await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN
  return {
    JSHeapUsedSize: of('JSHeapUsedSize'),
    Nodes: of('Nodes'),
    JSEventListeners: of('JSEventListeners'),
    ResourceFetchers: of('ResourceFetchers'),
  }
}

/** Measures once the players of the episode and of both adjacent episodes are ready, and the metrics are stable. */
async function measureAtRest(page: Page, devtools: CDPSession) {
  const ready = () =>
    page
      .locator('video')
      .evaluateAll((videos: HTMLVideoElement[]) => videos.map(({ readyState }) => readyState))
  await expect
    .poll(ready, { message: 'three players are ready' })
    .toEqual([enoughData, enoughData, enoughData])
  let last = await measure(devtools)
  const isAtRest = async () => {
    const before = last
    last = await measure(devtools)
    return stableMetrics.every((name) => last[name] === before[name])
  }
  await expect.poll(isAtRest, { message: 'the page is stable', intervals: [1000] }).toBe(true)
  return last
}

const numberOf = (page: Page) => Number(new URL(page.url()).searchParams.get('episode') ?? 1)

/**
 * Presses the key for the next episode until episode `last` is on screen. If an episode ends before the key is pressed,
 * the next episode follows automatically.
 */
async function stepTo(page: Page, last: number): Promise<void> {
  for (let number = numberOf(page); number < last; number = numberOf(page)) {
    await page.keyboard.press('n')
    await expect.poll(() => numberOf(page), { message: `a step from ${number}` }).toBeGreaterThan(number)
  }
}

test('steps through two hundred episodes leak no players, listeners or memory @screens @desktop', async ({
  page,
}) => {
  await extendDrama(page)
  await page.goto('/')
  await page
    .getByRole('link', { name: /The Test Tower/ })
    .last()
    .click()
  await expectProgress(page)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  await stepTo(page, warmUp)
  await expectProgress(page)
  const before = await measureAtRest(page, devtools)
  await stepTo(page, swipes)
  await expectProgress(page)
  const after = await measureAtRest(page, devtools)
  for (const name of stableMetrics) expect.soft(after[name] / before[name], name).toBeLessThan(1.15)
  const growth = after.JSHeapUsedSize - before.JSHeapUsedSize
  expect(growth / (swipes - warmUp)).toBeLessThan(maxBytesPerEpisode)
})

test('quick steps on a slow phone never scroll back, not even for one frame @desktop @screens', async ({
  page,
}) => {
  await extendDrama(page)
  await page.goto('/')
  await page
    .getByRole('link', { name: /The Test Tower/ })
    .last()
    .click()
  await expectProgress(page)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const feed = page.getByRole('region', { name: 'The Test Tower' })
  const positions = await feed.evaluateHandle((box) => {
    const seen: number[] = []
    box.addEventListener('scroll', () => seen.push(Math.round(box.scrollTop / box.clientHeight)))
    return seen
  })
  try {
    await stepTo(page, quickSteps)
  } catch (error) {
    throw new Error(`the feed was at ${String(await positions.jsonValue())}`, { cause: error })
  }
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await expectProgress(page)
  // The browser sends a scroll event some time after the step.
  await expect.poll(async () => (await positions.jsonValue()).at(-1)).toBeGreaterThanOrEqual(quickSteps - 1)
  const seen = await positions.jsonValue()
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
})
