import type { Browser, BrowserContext, Page } from '@playwright/test'
import { recordFirstFrame } from './page-scripts.ts'
import { applyProfile, type Profile } from './profiles.ts'

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

/** Timeout in milliseconds of each step of a measurement. */
export const timeout = 30_000

/** Opens a URL in a new browser context of a phone with this profile, and runs a measurement there. */
export async function withPage<T>(
  browser: Browser,
  url: string,
  profile: Profile,
  measure: (page: Page) => Promise<T>,
): Promise<T> {
  const context: BrowserContext = await browser.newContext(phone)
  try {
    await context.addInitScript(recordFirstFrame)
    const page = await context.newPage()
    await applyProfile(page, profile)
    await page.goto(url, { waitUntil: 'commit', timeout })
    return await measure(page)
  } finally {
    await context.close()
  }
}

/** Returns the milliseconds from navigation to the first frame. */
export async function firstFrame(page: Page): Promise<number> {
  const seen = await page.waitForFunction(() => window.firstFrame, undefined, { polling: 50, timeout })
  return (await seen.jsonValue()) ?? Number.NaN
}
