import { test as base, expect } from '@playwright/test'
import { catchEnvelopes } from './error-sink.ts'

/** Playwright's own word on `serviceWorkers: 'block'`. */
const blockedWorker = 'Service Worker registration blocked by Playwright'

/** Where the tests look for a page that is not there. */
export const missingPath = '/nowhere'

/** Every browser test also holds that the console stays silent. */
export const test = base.extend<{ forgiven: RegExp | undefined; silentConsole: void }>({
  /** What the browser itself writes of what a test brings about, such as a connection that is gone. */
  forgiven: [undefined, { option: true }],
  silentConsole: [
    async ({ page, context, forgiven }, use) => {
      await catchEnvelopes(context)
      const noise: string[] = []
      page.on('console', (message) => {
        const text = message.text()
        if (text === blockedWorker || forgiven?.test(text)) return
        // A page that is not there is told so with HTTP 404, which the browser writes down.
        if (text.includes('status of 404') && message.location().url.endsWith(missingPath)) return
        if (message.type() === 'error' || message.type() === 'warning') noise.push(text)
      })
      page.on('pageerror', ({ message }) => {
        if (!forgiven?.test(message)) noise.push(message)
      })
      await use()
      expect(noise, 'the console is silent').toEqual([])
    },
    { auto: true },
  ],
})
export { expect }
