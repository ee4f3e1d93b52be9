import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { join } from 'node:path'
import { findChromium } from '#e2e/find-chromium.ts'
import { median } from './load.ts'
import { startBare } from './start-bare.ts'
import type { BenchSite } from './start-bench-site.ts'
import { atMost, within, type Row } from './table.ts'
import { findFilm } from './visitor.ts'

const startAim = 1.5
const swipeAimMs = 50
const wakeAim = 1.5
const starts = 15
const visits = 5
const swipesAVisit = 3
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const timeout = 20_000

/** What the measuring scripts leave in the page, in milliseconds. */
declare global {
  interface Window {
    firstFrame?: number
    swiped?: { covered?: number; newFrame?: number }
  }
}

/** Navigation to first frame against a bare page with the same stream, and a key press to the next episode's picture. */
export async function measurePlayback(site: BenchSite): Promise<Row[]> {
  const { videoId, asset } = await findFilm(site)
  const ours = `${site.url}/videos/${videoId}?episode=1`
  const files = join(site.dataDir, 'storage/media', asset)
  const bare = await startBare({ answers: [], files, connection: site.connection })
  const browser = await chromium.launch(await findChromium())
  try {
    const start = await compareStarts(browser, ours, `${bare.url}/page`)
    const swipes: { covered: number; newFrame: number }[] = []
    const wakes: number[] = []
    for (let visit = 0; visit < visits; visit++) {
      swipes.push(...(await measureSwipes(browser, ours)))
      wakes.push(await measureWake(browser, ours))
    }
    return [
      atMost(`start, navigation to first frame`, start.ours, start.bare, startAim),
      within(
        'key to prepared episode: its picture on screen',
        median(swipes.map(({ covered }) => covered)),
        swipeAimMs,
      ),
      atMost(
        'key to prepared episode: its next frame, against a bare play()',
        median(swipes.map(({ newFrame }) => newFrame)),
        median(wakes),
        wakeAim,
      ),
    ]
  } finally {
    await browser.close()
    await bare.close()
  }
}

async function compareStarts(
  browser: Browser,
  ours: string,
  bare: string,
): Promise<{ ours: number; bare: number }> {
  const measured = { ours: [] as number[], bare: [] as number[] }
  // The first visits warm the browser and both servers.
  await measureStart(browser, ours)
  await measureStart(browser, bare)
  for (let run = 0; run < starts; run++) {
    measured.ours.push(await measureStart(browser, ours))
    measured.bare.push(await measureStart(browser, bare))
  }
  return { ours: median(measured.ours), bare: median(measured.bare) }
}

/** Milliseconds from navigation to the first frame, for somebody who was never here. */
function measureStart(browser: Browser, url: string): Promise<number> {
  return visit(browser, url, async (page) => {
    const seen = await page.waitForFunction(() => window.firstFrame, undefined, { polling: 50, timeout })
    return (await seen.jsonValue()) ?? Number.NaN
  })
}

function measureSwipes(browser: Browser, url: string) {
  return visit(browser, url, async (page) => {
    const swipes = []
    for (let swipe = 0; swipe < swipesAVisit; swipe++) swipes.push(await measureSwipe(page))
    return swipes
  })
}

/** What the browser itself needs from `play()` on a prepared video to its next frame: the floor of any swipe. */
function measureWake(browser: Browser, url: string): Promise<number> {
  return visit(browser, url, async (page) => {
    await page.waitForFunction(nextIsPrepared, undefined, { polling: 50, timeout })
    return page.evaluate(wakeNext)
  })
}

async function visit<T>(browser: Browser, url: string, measure: (page: Page) => Promise<T>): Promise<T> {
  const context: BrowserContext = await browser.newContext(phone)
  try {
    await context.addInitScript(watchFirstFrame)
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    return await measure(page)
  } finally {
    await context.close()
  }
}

/** In the page: when the first frame of any video in the document is presented. The bare page does the same for its one video. */
function watchFirstFrame(): void {
  const create = document.createElement.bind(document)
  document.createElement = (...args: Parameters<typeof create>) => {
    const element = create(...args)
    if (element instanceof HTMLVideoElement) {
      const note = () => {
        if (element.isConnected) window.firstFrame ??= performance.now()
        else element.requestVideoFrameCallback(note)
      }
      element.requestVideoFrameCallback(note)
    }
    return element
  }
  // The one that came with the document.
  addEventListener('DOMContentLoaded', () =>
    document
      .querySelector('video')
      ?.requestVideoFrameCallback(() => (window.firstFrame ??= performance.now())),
  )
}

async function measureSwipe(page: Page): Promise<{ covered: number; newFrame: number }> {
  await page.waitForFunction(nextIsPrepared, undefined, { polling: 50, timeout })
  await page.evaluate(watchSwipe)
  await page.keyboard.press('n')
  const handle = await page.waitForFunction(
    () => window.swiped?.covered !== undefined && window.swiped.newFrame !== undefined && window.swiped,
    undefined,
    { polling: 50, timeout },
  )
  const { covered = Number.NaN, newFrame = Number.NaN } = (await handle.jsonValue()) || {}
  return { covered, newFrame }
}

/** In the page: whether one video plays on screen, and the one below it can play at once. */
function nextIsPrepared(): boolean {
  const videos = [...document.querySelectorAll('video')]
  const top = (video: HTMLVideoElement) => video.getBoundingClientRect().top
  const shown = videos.find((video) => Math.abs(top(video)) < innerHeight / 2)
  const next = videos.find((video) => top(video) > innerHeight / 2)
  if (!shown || !next || shown.paused || shown.currentTime < 0.5) return false
  return next.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA
}

/** In the page: plays the video below the one on screen, with nothing of the page's own in between. */
function wakeNext(): Promise<number> {
  const next = [...document.querySelectorAll('video')].find(
    (video) => video.getBoundingClientRect().top > innerHeight / 2,
  )
  const begun = performance.now()
  return new Promise((resolve) => {
    next?.requestVideoFrameCallback(() => resolve(performance.now() - begun))
    void next?.play()
  })
}

/** In the page: follows the video below the one on screen, from the next key on. */
function watchSwipe(): void {
  const next = [...document.querySelectorAll('video')].find(
    (video) => video.getBoundingClientRect().top > innerHeight / 2,
  )
  const swiped: NonNullable<Window['swiped']> = {}
  window.swiped = swiped
  const begin = ({ timeStamp }: KeyboardEvent) => {
    const look = () => {
      const { top, bottom } = next?.getBoundingClientRect() ?? { top: 1, bottom: 0 }
      const middle = innerHeight / 2
      if (top <= middle && bottom >= middle && (next?.readyState ?? 0) >= 2)
        swiped.covered = performance.now() - timeStamp
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
    next?.requestVideoFrameCallback(() => (swiped.newFrame = performance.now() - timeStamp))
  }
  addEventListener('keydown', begin, { once: true, capture: true })
}
