import type { Locator, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { keepToasts } from '#e2e/support/keep-toasts.ts'
import { overlap, readStable } from '#e2e/support/page-quality.ts'
import { bankFrame, cardForm, lockedPanel, payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

const phoneInLandscape = { width: 844, height: 390 }
test.use({ viewport: phoneInLandscape })

async function edges(locator: Locator): Promise<{ top: number; bottom: number }> {
  const box = await locator.boundingBox()
  if (!box) throw new Error(`${String(locator)} has no box`)
  return { top: box.y, bottom: box.y + box.height }
}

test('the menus show all their entries in a low window', async ({ page }) => {
  await page.goto('/')
  for (const [button, last] of [
    ['Browse', 'Plans'],
    ['Account', 'Unlocked'],
  ] as const) {
    await page.getByRole('banner').getByRole('button', { name: button }).click()
    const menu = page.getByRole('navigation', { name: button })
    await expect(menu.getByRole('link', { name: last })).toBeInViewport({ ratio: 1 })
    await page.keyboard.press('Escape')
  }
})

test('the header covers neither a field with an error nor its label in a low window', async ({ page }) => {
  await page.goto('/login')
  const email = page.getByLabel('E-mail')
  const header = await edges(page.getByRole('banner'))
  const field = await edges(email)
  await page.evaluate((y) => scrollTo(0, y), field.top - header.bottom + 20)
  await page.locator('main').getByRole('button', { name: 'Sign in' }).click()
  await expect(email).toBeFocused()
  const label = page.getByText('E-mail', { exact: true })
  await expect.poll(async () => (await edges(label)).top).toBeGreaterThanOrEqual(header.bottom)
})

test('an error message leaves the retry button of a list free in a low window', async ({ page }) => {
  await keepToasts(page)
  const message = 'Die Website ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.'
  const openPlans = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Plans' }).click()
  const search = async (page: Page) => {
    await page.getByRole('combobox', { name: 'Search' }).fill('tower')
    await page.keyboard.press('Enter')
  }
  for (const viewport of [phoneInLandscape, { width: 667, height: 375 }])
    for (const [path, openList] of [
      ['/contactUs', openPlans],
      ['/search', search],
    ] as const) {
      await page.setViewportSize(viewport)
      await page.goto(path)
      await page.route('**/api/**', (route) => route.fulfill({ json: { code: 500, message } }))
      await openList(page)
      const retry = page.getByRole('button', { name: 'Try again' })
      await expect(retry).toBeInViewport({ ratio: 1 })
      const toast = page.getByText(message)
      await expect(toast).toBeInViewport({ ratio: 1 })
      const where = `from ${path} at ${viewport.width} px`
      await expect.poll(() => overlap(toast, retry), where).toBe(false)
      await page.unrouteAll()
      await retry.click()
      await expect(retry).toHaveCount(0)
    }
})

test('a notice in the card form leaves the pay button free in a low window', async ({ page }) => {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4000 0000 0000 0002' })
  const { form } = cardForm(page)
  const notice = form.getByRole('status').filter({ hasText: 'declined' })
  await expect(notice).toBeVisible()
  const pay = form.getByRole('button', { name: 'Pay $0.99' })
  const gap = async () => (await edges(pay)).top - (await edges(notice)).bottom
  await expect.poll(gap).toBeGreaterThan(0)
})

test('the bank’s question is visible when 3-D Secure starts in a low window', async ({ page }) => {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4000 0000 0000 3220' })
  await expect(bankFrame(page).getByRole('heading', { name: 'Your bank asks' })).toBeInViewport({ ratio: 1 })
})

test.describe('in German on a phone in portrait', () => {
  test.use({ viewport: { width: 390, height: 844 }, locale: 'de-DE' })

  test('the name fields stay in line if only one of their errors has two lines', async ({ page }) => {
    await page.goto(await towerUrl(page, 4))
    await page.locator('section[data-layout]').getByRole('button', { name: '0,99 $ bezahlen' }).click()
    const form = page.frameLocator('dialog iframe')
    await form.getByRole('button', { name: '0,99 $ bezahlen' }).click()
    await expect(form.getByText('Geben Sie Ihren Nachnamen ein.')).toBeVisible()
    const names = [form.getByLabel('Vorname'), form.getByLabel('Nachname')]
    const [first, last] = await readStable(() => Promise.all(names.map(edges)))
    expect(last).toEqual(first)
  })
})
