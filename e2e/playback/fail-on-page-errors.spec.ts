import { test } from '#e2e/support/fixtures.ts'

test.describe('a test fails', () => {
  test.fail()

  test('if a page in a new browser context logs an error to the console', async ({ browser }) => {
    const page = await browser.newPage()
    await page.evaluate(() => console.error('heard'))
    await page.close()
  })

  test('if a new page in the browser context of the test throws an error', async ({ context }) => {
    const page = await context.newPage()
    await page.goto('/offline')
    const thrown = page.waitForEvent('pageerror')
    await page.evaluate(() => void setTimeout(() => Promise.reject(new Error('heard'))))
    await thrown
  })
})
