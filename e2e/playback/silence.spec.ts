import { test } from '#e2e/support/fixtures.ts'

test.describe('a test fails', () => {
  test.fail()

  test('that lets a window of its own write to the console', async ({ browser }) => {
    const page = await browser.newPage()
    await page.evaluate(() => console.error('heard'))
    await page.close()
  })

  test('in whose further window something is thrown', async ({ context }) => {
    const page = await context.newPage()
    await page.goto('/offline')
    const thrown = page.waitForEvent('pageerror')
    await page.evaluate(() => void setTimeout(() => Promise.reject(new Error('heard'))))
    await thrown
  })
})
