import type { Locator, Page } from '@playwright/test'

/**
 * Presses a button twice before the request of the first press is sent to `url`. Otherwise the response could replace
 * the button, and the second press would hit another element.
 */
export async function doubleClickBeforeSend(page: Page, button: Locator, url: string): Promise<void> {
  const pressed = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await pressed.promise
    await route.fallback()
  })
  await button.dblclick()
  pressed.resolve()
}
