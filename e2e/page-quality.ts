import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** What every screen is held to. axe brings its own script into the page, so the test needs `bypassCSP`. */

/** Adds up layout shifts from the next document on. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts = { total: 0 }
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.total += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** Nothing has jumped since `watchShifts`. */
export async function expectNoShift(page: Page): Promise<void> {
  const total = await page.evaluate(() => (window as unknown as { shifts: { total: number } }).shifts.total)
  expect(total).toBeLessThan(0.01)
}

/** axe finds nothing on what is shown now. */
export async function expectReadable(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
}
