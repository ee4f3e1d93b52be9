import { launch, type ConsoleMessage, type KeyInput, type Page } from 'puppeteer-core'
import type { RealBrowser } from './real-browser.ts'

/** Starts Debian's Firefox in headless mode, with WebDriver BiDi. */
export async function runFirefox(): Promise<RealBrowser> {
  const browser = await launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true })
  const page = await browser.newPage()
  await setPhoneViewport(page)
  const noise: string[] = []
  const recordMessage = (message: ConsoleMessage) =>
    ['error', 'warn'].includes(message.type()) && noise.push(message.text())
  page.on('console', recordMessage)
  page.on('pageerror', (error) => noise.push(String(error)))
  return {
    async open(url) {
      await page.goto(url)
    },
    // The cast is safe if the caller knows the type of the script's result.
    evaluate: async <T>(body: string) => (await page.evaluate(`(() => { ${body} })()`)) as T,
    press: (key) => page.keyboard.press(key as KeyInput),
    consoleErrors: () => noise,
    close: () => browser.close(),
  }
}

/**
 * Sets the size of a phone. Debian's Firefox may be too old for Puppeteer's command for the screen orientation, so that
 * error is ignored.
 */
async function setPhoneViewport(page: Page): Promise<void> {
  await page.setViewport({ width: 390, height: 844 }).catch((error: unknown) => {
    if (!String(error).includes('setScreenOrientationOverride')) throw error
  })
  await page.waitForFunction('innerWidth === 390', { timeout: 60_000 })
}
