import { chromium, type Browser, type Page } from '@playwright/test'
import { join } from 'node:path'
import { findChromium } from '#e2e/support/find-chromium.ts'
import { median } from '#bench/http/compare-load.ts'
import {
  countStalls,
  nextIsPrepared,
  startNextEpisode,
  recordSwipe,
  recordVideoSwitch,
} from './page-scripts.ts'
import { profiles, type Profile } from './profiles.ts'
import { firstFrame, timeout, withPage } from './with-page.ts'
import { startBareServer } from '#bench/bare/start-bare-server.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'
import { atMost, atMostTimes, atMostMilliseconds, type Row } from '#bench/result-table.ts'
import { findBenchEpisode } from '#bench/site/bench-guests.ts'

/** For each profile, the maximum ratio of the start-up time to that of a bare page with hls.js. */
const startTargets: [Profile, number][] = [
  [profiles.free, 1.5],
  [profiles.fast, 1.1],
  [profiles.slow, 1.1],
  [profiles.weak, 2],
]
/** Maximum ratio of the start-up time to that of a bare page with the native player. */
const nativeAim = 1.15
const swipeAimMs = { median: 33, p95: 100 }
const wakeAim = 1.5
const switchAim = 1.15
const switches = 7
/** Bandwidth for measuring stalls, as a multiple of the lowest rendition's bitrate. */
const spareRate = 2
const watchedSeconds = 30
const starts = 15
const swipeVisits = 7
const wakes = 5
const swipesAVisit = 3

/**
 * Compares the time from navigation to the first frame with that of bare pages with the same stream. Also measures the
 * time from a key press to the first frame of the next episode. Repeats both measurements for each profile in
 * `startTargets`.
 */
export async function measurePlayback(site: BenchSite): Promise<Row[]> {
  const { videoId, asset, hlsUrl } = await findBenchEpisode(site)
  // Reads the playlist before the visits, because its signed URL expires within minutes.
  const lowest = await lowestKilobits(site.url + hlsUrl)
  const ours = `${site.url}/videos/${videoId}?episode=1`
  const files = join(site.dataDir, 'storage/media', asset)
  const bare = await startBareServer({ answers: [], files, connection: site.connection })
  const browser = await chromium.launch(await findChromium())
  const rows: Row[] = []
  try {
    for (const [profile, target] of startTargets)
      rows.push(...(await measureStarts(browser, { ours, bare: bare.url }, profile, target)))
    for (const [profile] of startTargets) rows.push(...(await measureSwipes(browser, ours, profile)))
    rows.push(await compareWake(browser, ours))
    rows.push(await compareSwitch(browser, { ours, bare: `${bare.url}/page` }))
    rows.push(await measureStalls(browser, ours, lowest))
    return rows
  } finally {
    await browser.close()
    await bare.close()
  }
}

/**
 * Measures first and repeated visits. The pages alternate, so that a slow moment of the machine affects all of them.
 */
async function measureStarts(
  browser: Browser,
  { ours, bare }: { ours: string; bare: string },
  profile: Profile,
  target: number,
): Promise<Row[]> {
  const addresses = [ours, `${bare}/page`, `${bare}/native-player`]
  // The first visits are not measured: they warm up the browser and the servers.
  for (const address of addresses) await measureStart(browser, address, profile)
  const cold: number[][] = addresses.map(() => [])
  const warm: number[][] = addresses.map(() => [])
  for (let run = 0; run < starts; run++)
    for (const [index, address] of addresses.entries()) {
      const times = await measureStart(browser, address, profile)
      cold[index]?.push(times.cold)
      warm[index]?.push(times.warm)
    }
  const [coldOurs = Number.NaN, coldHls = Number.NaN, coldNative = Number.NaN] = cold.map(median)
  const [warmOurs = Number.NaN, warmHls = Number.NaN] = warm.map(median)
  return [
    atMost(`start, ${profile.name}, against bare hls.js`, coldOurs, coldHls, target),
    atMost(`start, ${profile.name}, against the bare native player`, coldOurs, coldNative, nativeAim),
    atMost(`start again, ${profile.name}, against bare hls.js`, warmOurs, warmHls, target),
  ]
}

/** Returns the milliseconds from navigation to the first frame, of a first and of a second visit. */
function measureStart(
  browser: Browser,
  url: string,
  profile: Profile,
): Promise<{ cold: number; warm: number }> {
  return withPage(browser, url, profile, async (page) => {
    const cold = await firstFrame(page)
    await page.goto('about:blank')
    await page.goto(url, { waitUntil: 'commit' })
    return { cold, warm: await firstFrame(page) }
  })
}

async function measureSwipes(browser: Browser, url: string, profile: Profile): Promise<Row[]> {
  const times: number[] = []
  for (let count = 0; count < swipeVisits; count++)
    await withPage(browser, url, profile, async (page) => {
      for (let swipe = 0; swipe < swipesAVisit; swipe++) times.push((await measureSwipe(page)).covered)
    })
  const p95 = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? Number.NaN
  return [
    atMostMilliseconds(
      `key press to next picture, ${profile.name}: median`,
      median(times),
      swipeAimMs.median,
    ),
    atMostMilliseconds(`key press to next picture, ${profile.name}: 95th percentile`, p95, swipeAimMs.p95),
  ]
}

/**
 * Compares the time from a key press to the next episode's first frame with the browser's minimum: from `play()` on a
 * prepared video to its next frame.
 */
async function compareWake(browser: Browser, url: string): Promise<Row> {
  const ours: number[] = []
  const bare: number[] = []
  for (let count = 0; count < wakes; count++) {
    await withPage(browser, url, profiles.free, async (page) =>
      ours.push((await measureSwipe(page)).newFrame),
    )
    await withPage(browser, url, profiles.free, async (page) => {
      await page.waitForFunction(nextIsPrepared, undefined, { polling: 50, timeout })
      bare.push(await page.evaluate(startNextEpisode))
    })
  }
  const what = 'key press to prepared episode’s new frame, against a bare play()'
  return atMost(what, median(ours), median(bare), wakeAim)
}

/**
 * Compares the switch to an episode that is not loaded, right after the first frame, with a bare page that loads
 * another stream.
 */
async function compareSwitch(browser: Browser, addresses: { ours: string; bare: string }): Promise<Row> {
  const ours: number[] = []
  const bare: number[] = []
  for (let count = 0; count < switches; count++) {
    ours.push(await withPage(browser, addresses.ours, profiles.slow, (page) => timeSwitch(page, true)))
    bare.push(await withPage(browser, addresses.bare, profiles.slow, (page) => timeSwitch(page, false)))
  }
  return atMost('key press to unprepared episode, slow 4G', median(ours), median(bare), switchAim)
}

async function timeSwitch(page: Page, isOurs: boolean): Promise<number> {
  await firstFrame(page)
  if (isOurs) {
    await page.evaluate(recordVideoSwitch)
    // Waits only until the page handles keys. At that time, nothing of the next episode is loaded.
    await page.waitForFunction(() => document.querySelector('input[type=range]') !== null, undefined, {
      timeout,
    })
  }
  await page.keyboard.press('n')
  const seen = await page.waitForFunction(() => window.switched, undefined, { polling: 50, timeout })
  return (await seen.jsonValue()) ?? Number.NaN
}

/** Plays one episode after the other on a connection with twice the lowest rendition's bitrate, and counts stalls. */
async function measureStalls(browser: Browser, url: string, kilobits: number): Promise<Row> {
  const profile = { name: 'spare', network: { latencyMs: 150, kilobits: kilobits * spareRate } }
  const stalls = await withPage(browser, url, profile, async (page) => {
    await firstFrame(page)
    await page.evaluate(countStalls)
    await page.waitForTimeout(watchedSeconds * 1000)
    return page.evaluate(() => window.stalls ?? Number.NaN)
  })
  return atMostTimes(
    `stalls within ${watchedSeconds} s at ${spareRate} × the lowest rendition (${kilobits} kbit/s)`,
    stalls,
    0,
  )
}

async function lowestKilobits(hlsUrl: string): Promise<number> {
  const answer = await fetch(hlsUrl)
  if (!answer.ok) throw new Error(`The playlist returned ${answer.status}`)
  const playlist = await answer.text()
  const rates = [...playlist.matchAll(/INF:BANDWIDTH=(\d+)/g)].map(([, rate]) => Number(rate))
  return Math.round(Math.min(...rates) / 1000)
}

async function measureSwipe(page: Page): Promise<{ covered: number; newFrame: number }> {
  await page.waitForFunction(nextIsPrepared, undefined, { polling: 50, timeout })
  await page.evaluate(recordSwipe)
  await page.keyboard.press('n')
  const handle = await page.waitForFunction(
    () => window.swiped?.covered !== undefined && window.swiped.newFrame !== undefined && window.swiped,
    undefined,
    { polling: 50, timeout },
  )
  const { covered = Number.NaN, newFrame = Number.NaN } = (await handle.jsonValue()) || {}
  return { covered, newFrame }
}
