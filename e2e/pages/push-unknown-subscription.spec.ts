import { PushBrowser } from '#server/testing/fakes/fake-push-service.ts'
import { expect, test } from '#e2e/support/fixtures.ts'

test.use({ serviceWorkers: 'allow', permissions: ['notifications'] })

test('a browser ends a push subscription that the site does not know', async ({ page, context }) => {
  const { endpoint } = new PushBrowser().subscription
  await context.addInitScript((storedEndpoint) => {
    const subscription = {
      endpoint: storedEndpoint,
      unsubscribe: async () => {
        sessionStorage.setItem('ended', 'yes')
        return true
      },
    }
    PushManager.prototype.getSubscription = async () =>
      sessionStorage.getItem('ended') ? null : (subscription as PushSubscription)
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
  }, endpoint)
  await page.goto('/search')
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
  await page.goto('/my')
  const box = page.getByRole('checkbox', { name: /^Notify me in this browser/ })
  await expect(box).toBeEnabled()
  await expect(box).not.toBeChecked()
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('ended'))).toBe('yes')
})
