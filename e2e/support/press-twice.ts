import type { Locator, Page } from '@playwright/test'

/**
 * Presses a button twice while the call to `url` that the first press makes waits. Answered at once, it could replace the
 * button before the second press, which would then land on what follows.
 */
export async function pressTwice(page: Page, button: Locator, url: string): Promise<void> {
  const pressed = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await pressed.promise
    await route.fallback()
  })
  await button.dblclick()
  pressed.resolve()
}
