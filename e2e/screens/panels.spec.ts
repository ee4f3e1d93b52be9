import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openRoute } from '#e2e/support/routes.ts'
import { cardForm, lockedPanel } from '#e2e/support/playback-and-payment.ts'

// axe injects its own script into the page.
test.use({ bypassCSP: true })

interface Panel {
  name: string
  path: string
  open: (page: Page) => Promise<unknown>
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const shown = (page: Page, role: 'dialog' | 'navigation' | 'region' | 'listbox', name?: string) =>
  expect(page.getByRole(role, name ? { name } : {})).toBeVisible()
const onVideo = (name: string, open: Panel['open']): Panel => ({
  name,
  path: '/videos/{video}',
  open: async (page) => {
    await page.keyboard.press('k')
    await open(page)
    await shown(page, 'dialog')
  },
})

const panels: Panel[] = [
  {
    name: 'the user menu',
    path: '/',
    open: (page) => press(page, 'Account').then(() => shown(page, 'navigation', 'Account')),
  },
  {
    name: 'the browse menu',
    path: '/',
    open: (page) => press(page, 'Browse').then(() => shown(page, 'navigation', 'Browse')),
  },
  {
    name: 'the consent banner',
    path: '/',
    open: (page) => press(page, 'Privacy choices').then(() => shown(page, 'region', 'Your privacy')),
  },
  {
    name: 'the search suggestions',
    path: '/search',
    open: async (page) => {
      await page.getByRole('combobox', { name: 'Search' }).fill('t')
      await shown(page, 'listbox')
    },
  },
  onVideo('the settings', (page) => press(page, 'Settings')),
  onVideo('the share sheet', (page) => press(page, 'Share')),
  onVideo('the shortcuts', (page) => page.keyboard.press('?')),
  {
    name: 'the card form with errors',
    path: '/videos/{video}?episode=4',
    open: async (page) => {
      await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
      await cardForm(page).form.getByRole('button', { name: 'Pay $0.99' }).click()
      await expect(cardForm(page).card.getByText('Check the card number.')).toBeVisible()
    },
  },
  {
    name: 'the deletion of the data on the device',
    path: '/individual',
    open: async (page) => {
      await page.getByRole('button', { name: /Delete your data on this device/ }).click()
      await expect(page.getByLabel('I understand')).toBeVisible()
    },
  },
  {
    name: 'a form with errors',
    path: '/register',
    open: async (page) => {
      await page.locator('main button[type=submit]').click()
      await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(/Enter your e-mail/)
    },
  },
]

for (const { name, path, open } of panels) {
  test(`${name}: accessible, and nothing is cut off`, async ({ page }) => {
    await openRoute(page, path)
    await open(page)
    await expectAccessible(page)
    await expectNoOverflow(page)
  })
}

test('the episode list of a phone is accessible @phone', async ({ page }) => {
  await openRoute(page, '/videos/{video}')
  await page.keyboard.press('k')
  await press(page, /^Episodes, /)
  await expect(page.getByRole('list', { name: 'Episodes' })).toBeVisible()
  await expectAccessible(page)
})
