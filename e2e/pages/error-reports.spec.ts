import type { Page, Route } from '@playwright/test'
import { captureEnvelopes, sinkDsn, sinkOrigin } from '#e2e/fakes/error-sink.ts'
import { expect, test, defaultSite } from '#e2e/support/fixtures.ts'
import { doubleClickBeforeSend } from '#e2e/support/double-click-before-send.ts'
import { expectAccessible } from '#e2e/support/page-quality.ts'
import { siteUrl } from '#e2e/support/site-url.ts'

test.use({ site: { ...defaultSite, settings: { SENTRY_DSN: sinkDsn } } })

/** Makes every session part of the sample. */
const sampleAllSessions = (page: Page) => page.addInitScript(() => (Math.random = () => 0.01))

/** Throws an uncaught error in the page, without console output. */
const fail = (page: Page, message: string) =>
  page.evaluate((text) => {
    dispatchEvent(new ErrorEvent('error', { error: new Error(text), message: text }))
    window.onerror?.(text, location.href, 1, 1, new Error(text))
  }, message)

test('errors are reported without queries and secrets, and ignored errors are not reported', async ({
  page,
  context,
}) => {
  const items = await captureEnvelopes(context)
  await sampleAllSessions(page)
  await page.goto('/searchDetail/tower?fbclid=click-of-ann')
  await expect(page.getByRole('heading', { name: /Results for/ })).toBeVisible()
  await waitForReporting(page)
  await fail(page, 'window.webkit.messageHandlers is gone')
  await fail(page, 'our own fault')
  const errors = () => items.filter(({ type }) => type === 'event')
  await expect.poll(() => errors().length).toBe(1)
  const [error] = errors()
  expect(error?.text).toContain('our own fault')
  expect(error?.payload).toMatchObject({ environment: 'production' })
  await expect
    .poll(() => items.map(({ type }) => type))
    .toEqual(expect.arrayContaining(['span', 'profile_chunk']))
  expect(items.filter(({ text }) => text.includes('click-of-ann'))).toEqual([])
})

test('no replay is recorded on sign-in and payment pages, and replays of other pages mask all text', async ({
  page,
  context,
}) => {
  const items = await captureEnvelopes(context)
  await sampleAllSessions(page)
  await page.goto('/login')
  await expect(page.getByLabel('E-mail')).toBeVisible()
  await waitForReporting(page)
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.goto('/shopping')
  await waitForReporting(page)
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await expect(page.locator('iframe[title="Payment"]')).toBeVisible()
  // A replay would be sent when the window loses the focus, before the report of an error.
  await page.evaluate(() => window.dispatchEvent(new Event('blur')))
  await fail(page, 'a fault on the plans page')
  await expect.poll(() => items.map(({ type }) => type)).toContain('event')
  await page.goto('/')
  await waitForReporting(page)
  await expect.poll(() => items.map(({ type }) => type)).toContain('replay_recording')
  const replays = items.filter(({ type }) => type === 'replay_event')
  expect([...new Set(replays.flatMap(({ payload }) => payload?.['urls']))]).toEqual([`${siteUrl}/`])
  const recording = items.find(({ type }) => type === 'replay_recording')?.text ?? ''
  expect(recording).toContain('tagName')
  expect(recording).not.toContain('The Test Tower')
})

test('error reporting loads after the page is loaded and idle, and not at all without a DSN', async ({
  page,
}) => {
  await page.goto('/')
  await waitForReporting(page)
  const order = await page.evaluate(() => {
    const { loadEventEnd } = performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming
    const files = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('start-error-reporting'))
    return { loadEventEnd, startTimes: files.map(({ startTime }) => startTime) }
  })
  expect(order.startTimes.length).toBeGreaterThan(0)
  for (const startTime of order.startTimes) expect(startTime).toBeGreaterThanOrEqual(order.loadEventEnd)

  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.route('/shopping', withoutDsn)
  await page.goto('/shopping')
  await expect(page.getByRole('heading', { name: /Watch everything/ })).toBeVisible()
  await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  expect(requests.filter((url) => /assets\/\w+-error-reporting|errors\.test/.test(url))).toEqual([])
  await expect(page.getByRole('contentinfo').getByRole('button', { name: 'Report a problem' })).toHaveCount(0)
})

/** Serves the document of a site without a DSN. */
async function withoutDsn(route: Route): Promise<void> {
  const response = await route.fetch()
  const html = (await response.text()).replace(/,"sentry":{[^}]*}/, '')
  await route.fulfill({ response, body: html })
}

test.describe('when reports are refused', () => {
  // axe injects its own script into the page.
  test.use({ allowedConsoleMessages: /status of 500/, bypassCSP: true })

  test('a problem report keeps its input after errors and is sent once', async ({ page, context }) => {
    const items = await captureEnvelopes(context)
    await page.goto('/contentPolicy')
    await page.getByRole('contentinfo').getByRole('button', { name: 'Report a problem' }).click()
    const dialog = page.getByRole('dialog', { name: 'Report a problem' })
    const messageField = dialog.getByLabel('What happened?')
    await expect(messageField).toBeVisible()
    await expectAccessible(page)
    await dialog.getByLabel('Your e-mail').fill('ada')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(messageField).toBeFocused()
    await expect(messageField).toHaveAccessibleDescription(/Enter a message of up to 5,000/)
    await messageField.fill('The third episode is dark.')
    await dialog.getByLabel('Your e-mail').fill('ada@example.com')

    const refuse = (route: Route) =>
      route.fulfill({ status: 500, headers: { 'access-control-allow-origin': '*' } })
    await context.route(`${sinkOrigin}/**`, refuse)
    await dialog.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Your message is still here')).toBeVisible()
    await expect(messageField).toHaveValue('The third episode is dark.')
    await context.unroute(`${sinkOrigin}/**`, refuse)

    await doubleClickBeforeSend(page, dialog.getByRole('button', { name: 'Send' }), `${sinkOrigin}/**`)
    await expect(dialog.getByText('We’ve received your message')).toBeFocused()
    const reports = items.filter(({ type }) => type === 'feedback')
    expect(reports.map(({ payload }) => payload)).toMatchObject([
      { contexts: { feedback: { message: 'The third episode is dark.', contact_email: 'ada@example.com' } } },
    ])
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'Report a problem' })).toBeFocused()
  })
})

test.describe('when a screen breaks', () => {
  test.use({ allowedConsoleMessages: /it broke/ })

  test('a broken screen shows an error, reports it, and asks what happened', async ({ page, context }) => {
    const items = await captureEnvelopes(context)
    await page.goto('/')
    await waitForReporting(page)
    const brokenModule = "export function Component() { throw new Error('it broke') }"
    await page.route('**/assets/SearchScreen-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: brokenModule }),
    )
    await page.getByRole('link', { name: 'Search' }).click()
    await expect(page.getByRole('alert')).toContainText('couldn’t load this')
    await expect.poll(() => items.filter(({ type }) => type === 'event').length).toBeGreaterThan(0)
    await page.getByRole('main').getByRole('button', { name: 'Report a problem' }).click()
    await expect(page.getByRole('dialog').getByLabel('What happened?')).toBeVisible()
    await page.unroute('**/assets/SearchScreen-*.js')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { name: 'Popular now' })).toBeVisible()
  })
})

const waitForReporting = (page: Page) =>
  page.waitForFunction(() => '__SENTRY__' in window && performance.getEntriesByName('reporting').length > 0)
