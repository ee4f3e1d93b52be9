import { expect, type Locator, type Page } from '@playwright/test'

/** Functions for tests with only a keyboard. They check that the focus is visible. */

const isFocused = (locator: Locator) =>
  locator.evaluateAll((elements) =>
    elements.some((element) => element === element.ownerDocument.activeElement),
  )

/** Presses Tab until an element has the focus, and checks that the focus is visible. */
export async function tabTo(page: Page, target: Locator, maxPresses = 60): Promise<void> {
  await expect(target.first()).toBeAttached()
  for (let presses = 0; presses < maxPresses; presses++) {
    await page.keyboard.press('Tab')
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
