import type { Locator, Page } from '@playwright/test'

/**
 * Presses a button twice while the request to `url` of the first press is held. An immediate response could replace the
 * button before the second press, which would then hit another element.
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
