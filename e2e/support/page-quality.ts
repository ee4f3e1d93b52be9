import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import AxeBuilder from '@axe-core/playwright'
import type Axe from 'axe-core'
import { expect, type Frame, type Locator, type Page } from '@playwright/test'

/** Quality checks for every screen. Tests that use axe need `bypassCSP`, because axe injects a script into the page. */

/** The smallest window that is supported. */
export const narrowPhone = { width: 360, height: 640 }
export const desktopAt200Percent = { width: 640, height: 450 }

/** The fields of a layout shift that TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
  value: number
  sources: { node: Node | null }[]
}

/** The layout shifts of a page: their sum, and the elements that moved. */
interface Shifts {
  total: number
  moved: string[]
}

declare global {
  interface Window {
    /** Installed by `recordLayoutShifts`. */
    readShifts: () => Promise<Shifts>
    /** Installed by `expectAccessible`. */
    axe: typeof Axe
  }
}

/** Adds up layout shifts, beginning with the next document. */
export async function recordLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shifts = { total: 0, moved: [] }
    const nameOf = (node: Node | null) =>
      node instanceof Element ? node.outerHTML.slice(0, 80) : String(node)
    const addShifts = (entries: PerformanceEntryList) => {
      for (const { value, sources } of entries as LayoutShift[]) {
        shifts.total += value
        shifts.moved.push(`${value}: ${sources.map(({ node }) => nameOf(node)).join(', ')}`)
      }
    }
    const observer = new PerformanceObserver((list) => addShifts(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })
    window.readShifts = async () => {
      // Browsers measure a shift when they paint the frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      addShifts(observer.takeRecords())
      return shifts
    }
  })
}

/** Expects no layout shifts since `recordLayoutShifts`. */
export async function expectNoLayoutShift(page: Page): Promise<void> {
  const { total, moved } = await page.evaluate(() => window.readShifts())
  expect(total, moved.join('\n')).toBeLessThan(0.01)
}

/** Expects no axe violations on the current page. Repeats the check, because the page may change while axe reads it. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(async () => {
    const violations = await findViolations(page)
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
  }).toPass()
}

/**
 * Expects that nothing is wider than the window and no text is cut off. Rows that scroll horizontally may be wider.
 * Repeats the check, because the page may still react to a change of the window.
 */
export async function expectNoOverflow(page: Page): Promise<void> {
  await expect(async () => {
    for (const frame of page.frames()) await expectNoOverflowInFrame(frame)
  }).toPass()
}

/** Returns whether two visible elements overlap. */
export async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()])
  if (!a || !b) throw new Error(`${String(a ? other : one)} is not on screen`)
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/** Waits until a value is the same in four consecutive reads, such as a position while the page settles. */
export async function readStable<T>(read: () => Promise<T>): Promise<T> {
  let last = await read()
  let equalReads = 0
  const countEqualReads = async () => {
    const before = last
    last = await read()
    equalReads = isDeepStrictEqual(last, before) ? equalReads + 1 : 0
    return equalReads
  }
  await expect.poll(countEqualReads, { message: 'the value is stable', intervals: [100] }).toBe(3)
  return last
}

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
// Without this option, axe describes all elements that pass, which takes longer than the rest of the check.
const axeOptions: Axe.RunOptions = { resultTypes: ['violations'] }

async function findViolations(page: Page): Promise<Axe.Result[]> {
  // AxeBuilder checks frames of other origins, but takes longer: it sends axe again each time, and opens a window.
  if (page.frames().length > 1)
    return (await new AxeBuilder({ page, axeSource }).options(axeOptions).analyze()).violations
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  return page.evaluate(async (options) => (await window.axe.run(document, options)).violations, axeOptions)
}

async function expectNoOverflowInFrame(frame: Frame): Promise<void> {
  const { wide, cut } = await frame.evaluate(() => {
    const page = document.documentElement
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    // True for an element completely to the right of its container. A swipe or the focus scrolls it into view.
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
      const isOutside = left < -1 || right > page.clientWidth + 1
      const clipped =
        holder.scrollWidth > holder.clientWidth + 1 && getComputedStyle(holder).overflowX === 'hidden'
      if (isOutside || (clipped && getComputedStyle(holder).textOverflow !== 'ellipsis'))
        cut.push(text.textContent?.trim() ?? '')
    }
    // A hidden frame has no width and is not checked.
    return { wide: page.clientWidth && page.scrollWidth - page.clientWidth, cut: cut.filter(Boolean) }
  })
  expect(wide, 'no sideways scrolling').toBeLessThanOrEqual(0)
  expect(cut, 'no text is cut off').toEqual([])
}
