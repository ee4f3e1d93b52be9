import { expect, type Locator, type Page } from '@playwright/test'

/** Functions for tests with only a keyboard. They check that the focus is visible. */

const maxPresses = 60

const isFocused = (locator: Locator) =>
  locator.evaluateAll((elements) =>
    elements.some((element) => element === element.ownerDocument.activeElement),
  )

/** Returns for each frame the position of its focused element in the document; -1 without one. */
const focusByFrame = (page: Page): Promise<number[]> =>
  Promise.all(
    page.frames().map((frame) =>
      frame
        .evaluate(() => {
          const { activeElement: active, body } = document
          if (!active || active === body || active instanceof HTMLIFrameElement) return -1
          return [...document.querySelectorAll('*')].indexOf(active)
        })
        // The frame was removed.
        .catch(() => -1),
    ),
  )

/**
 * If the focus moves into a frame, waits until it arrives. A frame in another process gets the focus some time after
 * the key press.
 */
async function waitForFrameFocus(page: Page, before: number[]): Promise<void> {
  const isInFrame = await page.evaluate(() => document.activeElement instanceof HTMLIFrameElement)
  if (!isInFrame) return
  const hasMoved = async () => {
    const now = await focusByFrame(page)
    return now.some((position) => position >= 0) && now.join() !== before.join()
  }
  // A frame without a focusable element never gets the focus, so the time-out is ignored.
  await expect
    .poll(hasMoved, { timeout: 5_000 })
    .toBe(true)
    .catch(() => {})
}

/** Presses Tab, or another key, until an element has the focus, and checks that the focus is visible. */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target.first()).toBeAttached()
  for (let presses = 0; presses < maxPresses; presses++) {
    const before = await focusByFrame(page)
    await page.keyboard.press(key)
    await waitForFrameFocus(page, before)
    if (await isFocused(target)) return expectFocusRing(target)
  }
  throw new Error(`Tab did not reach ${target.toString()}`)
}

/** Moves to an element with Tab and presses Enter. */
export async function activateWithKeyboard(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Moves to a field with Tab and types into it. */
export async function typeInto(page: Page, target: Locator, words: string): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.type(words)
}

/** Expects a focus ring around the element or around its visible representation, such as a label. */
export async function expectFocusRing(target: Locator): Promise<void> {
  const ring = await target.evaluateAll((elements) => {
    const focused = elements.find((element) => element === element.ownerDocument.activeElement)
    for (let at = focused, steps = 0; at && steps < 4; at = at.parentElement ?? undefined, steps++) {
      const { outlineStyle, outlineWidth } = getComputedStyle(at)
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) return true
    }
    return false
  })
  expect(ring, `the focus is visible on ${target.toString()}`).toBe(true)
}
