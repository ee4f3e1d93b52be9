import type { Page } from '@playwright/test'

/** Keeps toasts on screen, so that a slow machine can check them. */
export async function keepToasts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const original = window.setTimeout.bind(window)
    const slowSetTimeout = (handler: TimerHandler, ms?: number) =>
      original(handler, ms !== undefined && ms >= 3_000 && ms <= 10_000 ? 500_000 : ms)
    Object.assign(window, { setTimeout: slowSetTimeout })
  })
}
