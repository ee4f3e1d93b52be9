import type { Page } from '@playwright/test'
import { catchEnvelopes } from './error-sink.ts'
import { expect, test } from './fixtures.ts'

/** Every session is chosen, so that what depends on chance is seen. */
const chooseAll = (page: Page) => page.addInitScript(() => (Math.random = () => 0.01))

/** Throws in the page, outside of anything that would catch it, without noise in the console. */
const fail = (page: Page, message: string) =>
  page.evaluate((text) => {
    dispatchEvent(new ErrorEvent('error', { error: new Error(text), message: text }))
    window.onerror?.(text, location.href, 1, 1, new Error(text))
  }, message)

test('errors are reported without queries and secrets, the ignored ones not at all', async ({
  page,
  context,
}) => {
  const items = await catchEnvelopes(context)
  await chooseAll(page)
  await page.goto('/searchDetail/tower?fbclid=click-of-ann')
  await expect(page.getByRole('heading', { name: /Results for/ })).toBeVisible()
  await reporting(page)
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

test('a replay runs nowhere that people sign in or pay, and shows no text elsewhere', async ({
  page,
  context,
}) => {
  const items = await catchEnvelopes(context)
  await chooseAll(page)
  await page.goto('/login')
  await expect(page.getByLabel('E-mail')).toBeVisible()
  await reporting(page)
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.goto('/shopping')
  await reporting(page)
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await expect(page.locator('iframe[title="Payment"]')).toBeVisible()
  await page.evaluate(() => window.dispatchEvent(new Event('blur')))
  expect(items.filter(({ type }) => type.startsWith('replay'))).toEqual([])
  await page.goto('/')
  await reporting(page)
  await expect.poll(() => items.map(({ type }) => type), { timeout: 30_000 }).toContain('replay_recording')
  const recording = items.find(({ type }) => type === 'replay_recording')?.text ?? ''
  expect(recording).toContain('tagName')
  expect(recording).not.toContain('The Test Tower')
})

const reporting = (page: Page) =>
  page.waitForFunction(() => '__SENTRY__' in window && performance.getEntriesByName('reporting').length > 0)
