import { chromium, type Browser, type Page } from '@playwright/test'
import { join } from 'node:path'
import { findChromium } from '#e2e/support/find-chromium.ts'
import { makeBenchContent } from '#bench/site/make-bench-content.ts'
import { nextIsPrepared, showControls } from './page-scripts.ts'
import { measureLongestTask } from './measure-longest-task.ts'
import { measureMainThread, type MainThread } from './measure-main-thread.ts'
import { profiles, type Profile } from './profiles.ts'
import { firstFrame, timeout, withPage } from './with-page.ts'
import { startBareServer } from '#bench/bare/start-bare-server.ts'
import { benchEnv, importFolder, startSiteOn, type BenchSite } from '#bench/site/start-bench-site.ts'
import { atMost, atMostTimes, atMostMilliseconds, type Row } from '#bench/result-table.ts'
import { findBenchEpisode } from '#bench/site/bench-guests.ts'

/**
 * Episodes that are longer than the measurement, so that no episode ends during the measurement. The frames may be
 * small, because the main thread does not decode them.
 */
const content = { episodes: 5, seconds: 30, times: 3, size: '360x640' }
/** Duration of a measurement. A developer of the player can shorten it with BENCH_SECONDS. */
const seconds = Number(process.env['BENCH_SECONDS'] ?? 60)
/**
 * Time in milliseconds until the work after the start is finished: adjacent episodes are prepared and the controls are
 * hidden.
 */
const settleMs = 8_000
const hiddenAim = 1.5
const shownAim = 3
const longestTaskAimMs = 100
const changes = 3

/**
 * Measures the main-thread cost of watching against a bare page with hls.js, and the longest task while the episode
 * changes.
 */
export async function measureWatching({ home, ffmpeg, connection }: BenchSite): Promise<Row[]> {
  const folder = join(home, 'watching')
  const dataDir = join(home, 'watching-data')
  makeBenchContent(folder, 'watching', ffmpeg.ffmpegPath, content)
  importFolder(folder, benchEnv(dataDir))
  const site = await startSiteOn(dataDir)
  try {
    const { videoId, asset } = await findBenchEpisode(site)
    const files = join(dataDir, 'storage/media', asset)
    const bare = await startBareServer({ answers: [], files, connection })
    const browser = await chromium.launch(await findChromium())
    try {
      return await measurePages(browser, `${site.url}/videos/${videoId}?episode=1`, `${bare.url}/page`)
    } finally {
      await browser.close()
      await bare.close()
    }
  } finally {
    await site.close()
  }
}

/** Compares watching on the site with the bare page. Also measures the longest task while the episode changes. */
export async function measurePages(browser: Browser, ours: string, bare: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const profile of [profiles.free, profiles.weak])
    rows.push(...(await compareWatching(browser, { ours, bare }, profile)))
  rows.push(await measureChanges(browser, ours))
  return rows
}

async function compareWatching(
  browser: Browser,
  { ours, bare }: { ours: string; bare: string },
  profile: Profile,
): Promise<Row[]> {
  const measurePage = (url: string, begin: (page: Page) => Promise<void>) =>
    withPage(browser, url, profile, async (page) => {
      await begin(page)
      return measureMainThread(page, seconds)
    })
  const pages = [
    () => measurePage(bare, settle),
    // The native player plays the first episode, hls.js plays the others.
    () => measurePage(ours, settle),
    () => measurePage(ours, (page) => playNextEpisode(page).then(() => settle(page))),
    () =>
      measurePage(ours, async (page) => {
        await playNextEpisode(page)
        await settle(page)
        await page.evaluate(showControls)
      }),
  ]
  const [plain, first, hidden, shown] = await (profile === profiles.free ? atOnce(pages) : inTurn(pages))
  if (!plain || !first || !hidden || !shown) throw new Error('A page was not measured')
  const row = (what: string, { taskMs }: MainThread, target: number) =>
    atMost(`main thread each second, ${profile.name}, ${what}`, taskMs, plain.taskMs, target)
  return [
    row('first episode, controls hidden', first, hiddenAim),
    row('later episode, controls hidden', hidden, hiddenAim),
    row('later episode, controls shown', shown, shownAim),
    atMostTimes(
      `layouts within ${seconds} s, ${profile.name}, controls hidden`,
      Math.round(hidden.layouts * seconds),
      0,
    ),
  ]
}

/**
 * Runs functions at the same time. They do not disturb each other: each page has its own process, and only CPU time
 * counts.
 */
const atOnce = <T>(runs: (() => Promise<T>)[]) => Promise.all(runs.map((run) => run()))

/** Runs functions one after the other, because a page with a throttled CPU keeps a core busy. */
async function inTurn<T>(runs: (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  for (const run of runs) results.push(await run())
  return results
}

/** Waits until the work after the first frame is finished. */
async function settle(page: Page): Promise<void> {
  await firstFrame(page)
  await page.waitForTimeout(settleMs)
}

const untilPrepared = (page: Page) =>
  page.waitForFunction(nextIsPrepared, undefined, { polling: 200, timeout })

async function playNextEpisode(page: Page): Promise<void> {
  await untilPrepared(page)
  await page.keyboard.press('n')
}

/**
 * Changes the episode several times and measures the longest task. Each change ends when the following episode is
 * prepared. The page's start is not included.
 */
async function measureChanges(browser: Browser, url: string): Promise<Row> {
  const ms = await withPage(browser, url, profiles.weak, async (page) => {
    await untilPrepared(page)
    return measureLongestTask(browser, page, async () => {
      for (let change = 0; change < changes; change++) await playNextEpisode(page)
      await settle(page)
    })
  })
  return atMostMilliseconds(
    `longest task of ${changes} changes of episode, ${profiles.weak.name}`,
    ms,
    longestTaskAimMs,
  )
}
