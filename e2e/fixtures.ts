import { test as base, expect, type BrowserContext, type ConsoleMessage } from '@playwright/test'
import { catchEnvelopes } from './error-sink.ts'

/** Playwright's own word on `serviceWorkers: 'block'`. */
const blockedWorker = 'Service Worker registration blocked by Playwright'

/** Where the tests look for a page that is not there. */
export const missingPath = '/nowhere'

/** Every browser test also holds that the console stays silent, in each window that it opens. */
export const test = base.extend<{ forgiven: RegExp | undefined; silentConsole: void }>({
  /** What the browser itself writes of what a test brings about, such as a connection that is gone. */
  forgiven: [undefined, { option: true }],
  silentConsole: [
    async ({ browser, forgiven }, use) => {
      const noise: string[] = []
      const hear = (text: string) => {
        if (!forgiven?.test(text)) noise.push(text)
      }
      const listen = (context: BrowserContext) => {
        void catchEnvelopes(context)
        context.on('console', (message) => isNoise(message) && hear(message.text()))
        context.on('weberror', (thrown) => hear(thrown.error().message))
      }
      browser.on('context', listen)
      await use()
      browser.off('context', listen)
      expect(noise, 'the console is silent').toEqual([])
    },
    { auto: true },
  ],
})
export { expect }

function isNoise(message: ConsoleMessage): boolean {
  const text = message.text()
  // A page that is not there is told so with HTTP 404, which the browser writes down.
  const missing = text.includes('status of 404') && message.location().url.endsWith(missingPath)
  return ['error', 'warning'].includes(message.type()) && text !== blockedWorker && !missing
}
