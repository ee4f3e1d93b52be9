import { test as base, expect } from '@playwright/test'
import { catchEnvelopes } from './error-sink.ts'

/** Playwright's own word on `serviceWorkers: 'block'`. */
const blockedWorker = 'Service Worker registration blocked by Playwright'

/** Every browser test also holds that the console stays silent. */
export const test = base.extend<{ silentConsole: void }>({
  silentConsole: [
    async ({ page, context }, use) => {
      await catchEnvelopes(context)
      const noise: string[] = []
      page.on('console', (message) => {
        const text = message.text()
        if (text === blockedWorker) return
        if (message.type() === 'error' || message.type() === 'warning') noise.push(text)
      })
      page.on('pageerror', (error) => noise.push(error.message))
      await use()
      expect(noise, 'the console is silent').toEqual([])
    },
    { auto: true },
  ],
})
export { expect }
