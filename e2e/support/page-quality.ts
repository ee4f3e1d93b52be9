import AxeBuilder from '@axe-core/playwright'
import { expect, type Frame, type Page } from '@playwright/test'

/** Quality checks for every screen. axe injects its own script into the page, so the test needs `bypassCSP`. */

/** The smallest supported window. */
export const narrowPhone = { width: 360, height: 640 }
export const desktopAt200Percent = { width: 640, height: 450 }

/** Sums layout shifts from the next document on. */
export async function recordLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts = { total: 0 }
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.total += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** Expects no layout shift since `recordLayoutShifts`. */
export async function expectNoLayoutShift(page: Page): Promise<void> {
  const total = await page.evaluate(() => (window as unknown as { shifts: { total: number } }).shifts.total)
  expect(total).toBeLessThan(0.01)
}

/** Expects no axe violations on the current page. Repeats the check, because the page may change while axe reads it. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(async () => {
    // The legacy mode is twice as fast, and does not check frames of other origins.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(page.frames().length === 1).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
  }).toPass({ timeout: 15_000 })
}

/** Expects that nothing is wider than the window and no text is cut off, except in rows that scroll horizontally. */
export async function expectNoOverflow(page: Page): Promise<void> {
  for (const frame of page.frames()) await expectNoOverflowInFrame(frame)
}

async function expectNoOverflowInFrame(frame: Frame): Promise<void> {
  const { wide, cut } = await frame.evaluate(() => {
    const page = document.documentElement
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    // Completely outside its container: revealed by a swipe or by focus.
    const isScrolledAway = (element: Element | null, left: number): boolean =>
      element !== null &&
      ((getComputedStyle(element).overflowX !== 'visible' && left >= element.getBoundingClientRect().right) ||
        isScrolledAway(element.parentElement, left))
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const cut: string[] = []
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const { parentElement: holder } = text
      if (!holder?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      if (holder.closest('script, style, select, .hidden-text') || scrolls(holder)) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      const { left, right } = range.getBoundingClientRect()
      if (isScrolledAway(holder, left)) continue
      const out = left < -1 || right > page.clientWidth + 1
      const clipped =
        holder.scrollWidth > holder.clientWidth + 1 && getComputedStyle(holder).overflowX === 'hidden'
      if (out || (clipped && getComputedStyle(holder).textOverflow !== 'ellipsis'))
        cut.push(text.textContent?.trim() ?? '')
    }
    // A hidden frame has no width.
    return { wide: page.clientWidth && page.scrollWidth - page.clientWidth, cut: cut.filter(Boolean) }
  })
  expect(wide, 'no sideways scrolling').toBeLessThanOrEqual(0)
  expect(cut, 'no text is cut off').toEqual([])
}
