import { test as base, expect } from '@playwright/test'
import { catchEnvelopes } from './error-sink.ts'

/** Every browser test also holds that the console stays silent. */
export const test = base.extend<{ silentConsole: void }>({
  silentConsole: [
    async ({ page, context }, use) => {
      await catchEnvelopes(context)
      const noise: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') noise.push(message.text())
      })
      page.on('pageerror', (error) => noise.push(error.message))
      await use()
      expect(noise, 'the console is silent').toEqual([])
    },
    { auto: true },
  ],
})
export { expect }
