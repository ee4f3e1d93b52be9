import type { Page } from '@playwright/test'

/** Keeps toasts on screen for longer, so that a slow machine can check them. */
export async function keepToasts(page: Page, keptMs = 500_000): Promise<void> {
  await page.addInitScript((kept) => {
    const original = window.setTimeout.bind(window)
    const slowSetTimeout = (handler: TimerHandler, ms?: number) =>
      original(handler, ms !== undefined && ms >= 3_000 && ms <= 10_000 ? kept : ms)
    Object.assign(window, { setTimeout: slowSetTimeout })
  }, keptMs)
}
