import { chromium, type Browser, type Page } from '@playwright/test'
import { findChromium } from '#e2e/support/find-chromium.ts'
import { applyProfile, profiles } from '#bench/playback/profiles.ts'
import type { Row } from '#bench/result-table.ts'

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
/** A frame that takes longer than this is visible as a stutter. */
const longFrameMs = 50
/** Maximum percentage of frames above `longFrameMs`. */
const target = 1
/** Number of pages of a list that are loaded before it is scrolled. */
const furtherPages = 20
const pixelsPerSecond = 2500
/** Distance that is scrolled in pixels. Each list is longer. */
const maxPixels = 15_000
const timeout = 60_000

/** The longest lists, and the paths of their pages. */
const lists = {
  orders: '/studio/payments',
  videos: '/studio/videos',
  'audit log': '/studio/team',
}

/** Measures how smoothly the longest lists scroll by touch, on a phone with a slow CPU and with many pages loaded. */
export async function measureScrolling(
  url: string,
  { name, value }: { name: string; value: string },
): Promise<Row[]> {
  const browser = await chromium.launch(await findChromium())
  try {
    const rows: Row[] = []
    for (const [list, path] of Object.entries(lists))
      rows.push(await measureList(browser, list, `${url}${path}`, { name, value, url }))
    return rows
  } finally {
    await browser.close()
  }
}

async function measureList(
  browser: Browser,
  list: string,
  address: string,
  cookie: { name: string; value: string; url: string },
): Promise<Row> {
  const context = await browser.newContext({ ...phone, locale: 'en' })
  try {
    await context.addCookies([cookie])
    const page = await context.newPage()
    page.setDefaultTimeout(timeout)
    await page.goto(address)
    const entries = await loadPages(page)
    await applyProfile(page, profiles.weak)
    const frames = await scrollThrough(page)
    const long = frames.filter((ms) => ms > longFrameMs)
    const percent = (100 * long.length) / frames.length
    return {
      what: `scroll, ${list} (${entries} rows): frames over ${longFrameMs} ms`,
      ours: `${long.length} of ${frames.length}, longest ${Math.round(Math.max(...frames))} ms`,
      bare: '–',
      ratio: '–',
      target: `≤ ${target} %`,
      ok: percent <= target,
    }
  } finally {
    await context.close()
  }
}

/** Loads further pages of a list. @returns the number of loaded rows */
async function loadPages(page: Page): Promise<number> {
  // Uses the last table, because the page of the audit log first shows a table of operators.
  const rows = page.locator('table').last().locator('tbody tr')
  await rows.nth(19).waitFor()
  for (let further = 0; further < furtherPages; further++) {
    const before = await rows.count()
    await page.getByRole('button', { name: 'Load more' }).click()
    await rows.nth(before).waitFor()
  }
  return rows.count()
}

/** Scrolls down and back. @returns the duration of each frame in milliseconds */
async function scrollThrough(page: Page): Promise<number[]> {
  await page.evaluate(() => scrollTo(0, 0))
  const whole = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  const height = Math.min(whole, maxPixels)
  const devtools = await page.context().newCDPSession(page)
  const gesture = (yDistance: number) =>
    devtools.send('Input.synthesizeScrollGesture', {
      x: 195,
      y: 400,
      yDistance,
      speed: pixelsPerSecond,
      gestureSourceType: 'touch',
      preventFling: true,
    })
  await page.evaluate(watchFrames)
  await gesture(-height)
  await gesture(height)
  return page.evaluate(() => window.frames_ms ?? [])
}

declare global {
  interface Window {
    /** Duration of each frame in milliseconds since `watchFrames` was called. */
    frames_ms?: number[]
  }
}

/** Runs in the page: records the duration of each frame. */
function watchFrames(): void {
  const frames: number[] = []
  window.frames_ms = frames
  let before = performance.now()
  const watch = (now: number) => {
    frames.push(now - before)
    before = now
    requestAnimationFrame(watch)
  }
  requestAnimationFrame(watch)
}
