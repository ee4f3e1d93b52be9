import type { BrowserContext, Page, Worker } from '@playwright/test'
import pg from 'pg'
import { PushBrowser } from '#server/testing/fakes/fake-push-service.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { videoIds } from '#e2e/support/routes.ts'
import { registerMember } from '#e2e/support/register-member.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

test.use({ serviceWorkers: 'allow', permissions: ['notifications'] })

const setting = 'Notify me in this browser when my favorites have new episodes'
const blocked = 'Notifications are blocked. Allow them for this site in your browser’s settings.'

/**
 * Fakes the browser's push service, which Chromium lacks in tests. The fake keeps in the local storage whether the
 * browser is subscribed, and how often it has prompted for permission. Each prompt gets the same answer.
 * @returns the endpoint of the subscription
 */
async function installFakePush(context: BrowserContext, answer: NotificationPermission = 'granted') {
  const { subscription } = new PushBrowser()
  await context.addInitScript(fakePush, { ...subscription, answer })
  return subscription.endpoint
}

function fakePush({
  endpoint,
  p256dh,
  auth,
  answer,
}: {
  endpoint: string
  p256dh: string
  auth: string
  answer: NotificationPermission
}): void {
  const storedSubscription = {
    endpoint,
    toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
    unsubscribe: async () => {
      localStorage.removeItem('subscribed')
      return true
    },
  }
  Object.assign(PushManager.prototype, {
    getSubscription: async () => (localStorage.getItem('subscribed') ? storedSubscription : null),
    subscribe: async ({ userVisibleOnly, applicationServerKey }: PushSubscriptionOptionsInit) => {
      if (!userVisibleOnly || !/^[\w-]{87}$/.test(`${applicationServerKey}`)) throw new Error('no key')
      localStorage.setItem('subscribed', 'yes')
      return storedSubscription
    },
  })
  const permission = () => (localStorage.getItem('questions') ? answer : 'default')
  Object.defineProperty(Notification, 'permission', { get: permission })
  Notification.requestPermission = async () => {
    localStorage.setItem('questions', String(Number(localStorage.getItem('questions')) + 1))
    return answer
  }
}

/** Returns how often the browser prompted for permission. */
const countQuestions = (page: Page) => page.evaluate(() => Number(localStorage.getItem('questions')))

async function query(text: string, endpoint: string): Promise<number> {
  const client = new pg.Client({ connectionString: currentSite().databaseUrl })
  await client.connect()
  try {
    return (await client.query(text, [endpoint])).rowCount ?? 0
  } finally {
    await client.end()
  }
}

const countSubscribers = (endpoint: string) =>
  query('SELECT FROM push_subscriptions WHERE endpoint = $1', endpoint)

const question = (page: Page) => page.getByRole('dialog', { name: 'Don’t miss the next episode' })

const favoriteChange = /\/api\/user\/favorite$/

/** Adds a favorite, and waits until the script that may ask the question has loaded. */
async function addFavorite(page: Page, id: string): Promise<void> {
  await page.goto(`/videos/${id}`)
  await expectProgress(page)
  await expect(question(page)).toHaveCount(0)
  const saved = page.waitForResponse(favoriteChange)
  const decided = page.waitForResponse(/\/offer-alerts-/)
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  await Promise.all([saved, decided])
}

/** Removes the favorite of `addFavorite`. Fails if the question is open, because it would cover the button. */
async function removeFavorite(page: Page): Promise<void> {
  const removed = page.waitForResponse(favoriteChange)
  await page.getByRole('button', { name: 'Remove from favorites' }).click()
  await removed
  await expect(page.getByRole('button', { name: 'Add to favorites' })).toBeVisible()
  await expect(question(page)).toHaveCount(0) // stays
}

test('a guest’s favorite offers notifications, a press opens the browser’s prompt, and the member area turns notifications off @sizes', async ({
  page,
  context,
}) => {
  const endpoint = await installFakePush(context)
  const [tower = ''] = await videoIds(page)
  await addFavorite(page, tower)
  await expect(question(page)).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await expect(question(page).getByRole('button', { name: 'E-mail me' })).toHaveCount(0)
  expect(await countQuestions(page)).toBe(0)
  await question(page).getByRole('button', { name: 'Notify me' }).click()
  await expect(question(page)).toHaveCount(0)
  await expect(page.getByText('Alerts are on.')).toBeVisible()
  expect([await countQuestions(page), await countSubscribers(endpoint)]).toEqual([1, 1])
  await page.goto('/my')
  const box = page.getByRole('checkbox', { name: setting })
  await expect(box).toBeChecked()
  await expectAccessible(page)
  const stopped = page.waitForResponse(/\/alerts\/push\/stop$/)
  await box.uncheck()
  await stopped
  expect(await countSubscribers(endpoint)).toBe(0)
  await page.reload()
  await expect(box).not.toBeChecked()
  await box.check()
  await expect(page.getByText('Alerts are on.')).toBeVisible()
  expect(await countSubscribers(endpoint)).toBe(1)
  // A subscription that the site does not know is shown as off.
  await query('DELETE FROM push_subscriptions WHERE endpoint = $1', endpoint)
  await page.reload()
  await expect(box).toBeEnabled()
  await expect(box).not.toBeChecked()
})

test('a viewer who refuses in the browser is not asked again automatically', async ({ page, context }) => {
  const endpoint = await installFakePush(context, 'denied')
  const [tower = '', other = ''] = await videoIds(page)
  await addFavorite(page, tower)
  await question(page).getByRole('button', { name: 'Notify me' }).click()
  await expect(page.getByText(blocked)).toBeVisible()
  await expect(question(page)).toHaveCount(0)
  await addFavorite(page, other)
  await removeFavorite(page)
  await page.goto('/my')
  await expect(page.getByRole('checkbox', { name: setting })).toBeDisabled()
  await expect(page.getByText(blocked)).toBeVisible()
  expect([await countQuestions(page), await countSubscribers(endpoint)]).toEqual([1, 0])
})

test('a viewer who says "Not now" is not asked again by the site, and never by the browser', async ({
  page,
  context,
}) => {
  await installFakePush(context)
  const [tower = '', other = ''] = await videoIds(page)
  await addFavorite(page, tower)
  await question(page).getByRole('button', { name: 'Not now' }).click()
  await addFavorite(page, other)
  await removeFavorite(page)
  expect(await countQuestions(page)).toBe(0)
})

test('in a browser without push, the site shows no push setting and sends no push requests', async ({
  page,
  context,
}) => {
  await context.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'))
  const pushRequests: string[] = []
  page.on('request', (request) => request.url().includes('/alerts/push') && pushRequests.push(request.url()))
  const [tower = ''] = await videoIds(page)
  await addFavorite(page, tower)
  await removeFavorite(page)
  await page.goto('/my')
  await expect(page.getByRole('heading', { name: 'Orders and receipts' })).toBeVisible()
  // Waits for late requests and elements.
  await page.waitForLoadState('networkidle')
  await expect(page.getByRole('heading', { name: 'New-episode alerts' })).toHaveCount(0)
  expect(pushRequests).toEqual([])
})

test('signing out ends a member’s notifications in the browser @sizes', async ({ page, context }) => {
  const endpoint = await installFakePush(context)
  await page.goto('/search')
  await registerMember(page)
  await page.goto('/my')
  await page.getByRole('checkbox', { name: setting }).check()
  await expect(page.getByText('Alerts are on.')).toBeVisible()
  expect(await countSubscribers(endpoint)).toBe(1)
  await page.goto('/individual')
  const stopped = page.waitForResponse(/\/alerts\/push\/stop$/)
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
  await stopped
  expect(await countSubscribers(endpoint)).toBe(0)
})

/**
 * Records the notifications that the worker shows and the pages that it opens, because Chromium has no system
 * notifications in tests. The cast of `self` is needed because the types here are those of a page.
 */
const recordIn = (worker: Worker) =>
  worker.evaluate(() => {
    const scope = self as unknown as ServiceWorkerGlobalScope & { done: unknown[] }
    scope.done = []
    const record = async (...entry: unknown[]) => void scope.done.push(entry)
    Object.assign(scope.registration, { showNotification: (...args: unknown[]) => record('show', ...args) })
    Object.assign(scope.clients, { openWindow: (url: string) => record('open', url) })
    Object.assign(WindowClient.prototype, {
      focus(this: WindowClient) {
        return record('focus', new URL(this.url).pathname)
      },
      navigate: (url: string) => record('lead to', url),
    })
  })

const recorded = (worker: Worker) =>
  worker.evaluate(() => (self as unknown as { done: unknown[] }).done.splice(0))

/** Dispatches a press of the notification that opens `url`. */
const pressNotification = (worker: Worker, url: string) =>
  worker.evaluate(async (data) => {
    const promises: Promise<unknown>[] = []
    const event = Object.assign(new Event('notificationclick'), {
      notification: { data, close() {} },
      waitUntil: (promise: Promise<unknown>) => promises.push(promise),
    })
    self.dispatchEvent(event)
    await Promise.all(promises)
  }, url)

test('a push is shown as a notification; a press on the notification opens the episode, in an open page of the drama if there is one @desktop', async ({
  page,
  context,
}) => {
  const [tower = ''] = await videoIds(page)
  await page.goto('/search')
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  await recordIn(worker)
  const devtools = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first) resolve(first.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  const registrationId = await registered
  const deliver = (data: string) =>
    devtools.send('ServiceWorker.deliverPushMessage', { origin: siteUrl, registrationId, data })
  const url = `/videos/${tower}?episode=2`
  const notification = { body: 'New episode', lang: 'en', tag: tower }
  await deliver(
    JSON.stringify({ ...notification, title: 'The Test Tower', icon: '/public/covers/x.webp', url }),
  )
  await expect
    .poll(() => recorded(worker))
    .toEqual([['show', 'The Test Tower', { ...notification, icon: '/public/covers/x.webp', data: url }]])
  // Even an unreadable push shows a notification, because browsers revoke the permission of sites that show none.
  await deliver('no JSON')
  await expect.poll(() => recorded(worker)).toMatchObject([['show', 'localhost', { data: '/' }]])

  await pressNotification(worker, url)
  expect(await recorded(worker)).toEqual([['open', `${siteUrl}${url}`]])
  await page.goto(`/videos/${tower}`)
  await expectProgress(page)
  await pressNotification(worker, url)
  expect(await recorded(worker)).toEqual([
    ['focus', `/videos/${tower}`],
    ['lead to', `${siteUrl}${url}`],
  ])
})

/** Simulates a push service that has replaced the subscription `old`: the worker's next subscription is `next`. */
const replaceSubscription = (
  worker: Worker,
  old: string,
  next: { endpoint: string; p256dh: string; auth: string },
) =>
  worker.evaluate(
    async ([oldEndpoint, { endpoint, ...keys }]) => {
      PushManager.prototype.subscribe = async (options) => {
        if (!/^[\w-]{87}$/.test(`${options?.applicationServerKey}`)) throw new Error('no key')
        return { endpoint, toJSON: () => ({ endpoint, keys }) } as unknown as PushSubscription
      }
      const promises: Promise<unknown>[] = []
      const event = Object.assign(new Event('pushsubscriptionchange'), {
        oldSubscription: { endpoint: oldEndpoint },
        newSubscription: null,
        waitUntil: (promise: Promise<unknown>) => promises.push(promise),
      })
      self.dispatchEvent(event)
      await Promise.all(promises)
    },
    [old, next] as const,
  )

test('if a push service replaces a subscription, the site gets the new subscription only if the site knew the old one @desktop', async ({
  page,
  context,
}) => {
  const endpoint = await installFakePush(context)
  await page.goto('/search')
  await registerMember(page)
  await page.goto('/my')
  await page.getByRole('checkbox', { name: setting }).check()
  await expect(page.getByText('Alerts are on.')).toBeVisible()
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  const [next, unknown] = [new PushBrowser().subscription, new PushBrowser().subscription]
  await replaceSubscription(worker, endpoint, next)
  expect(await countSubscribers(next.endpoint)).toBe(1)
  await replaceSubscription(worker, 'https://push.example.com/ended', unknown)
  expect(await countSubscribers(unknown.endpoint)).toBe(0)
})
