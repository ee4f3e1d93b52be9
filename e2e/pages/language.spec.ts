import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { siteUrl } from '#e2e/support/site-url.ts'

const languageSelect = (page: Page) => page.locator('header select')
const heading = (page: Page, name: string) => page.getByRole('heading', { name })

/** Records the requested language of each API request from now on. */
function recordLanguages(page: Page): string[] {
  const requestedLanguages: string[] = []
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    // Health checks and statistics have no language; third-party requests are ignored.
    const isCall = origin === siteUrl && /^\/api\/(?!health|statics)/.test(pathname)
    if (isCall && request.resourceType() === 'fetch')
      requestedLanguages.push(request.headers()['accept-language']?.split(',')[0] ?? '')
  })
  return requestedLanguages
}

test('a chosen language applies to the whole page, even if the URL specifies another', async ({ page }) => {
  await page.goto('/?lang=de&from=mail#top')
  await expect(heading(page, 'Alle Serien')).toBeVisible()
  await languageSelect(page).selectOption('es')
  await expect(heading(page, 'Todas las series')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Buscar' })).toBeVisible()
  await expect(page).toHaveURL(/\/\?from=mail#top$/)
  await page.reload()
  await expect(heading(page, 'Todas las series')).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'es')
})

test('the language of the URL lasts for the visit and is not stored', async ({ page }) => {
  const requestedLanguages = recordLanguages(page)
  await page.goto('/?lang=de')
  await page.getByRole('link', { name: 'Suchen' }).click()
  await expect(page).toHaveURL(/\/search$/)
  await expect(heading(page, 'Gerade beliebt')).toBeVisible()
  await page.goBack()
  await page.getByRole('contentinfo').getByRole('link', { name: 'Inhaltsrichtlinien' }).click()
  await expect(heading(page, 'Inhaltsrichtlinie')).toBeVisible()
  expect([...new Set(requestedLanguages)]).toEqual(['dy'])
  await page.reload()
  await expect(heading(page, 'Content policy')).toBeVisible()
})

test('the card form uses the language of the page', async ({ page }) => {
  await page.goto('/shopping?lang=de')
  await page.getByRole('main').getByRole('button').first().click()
  await expect(page.frameLocator('iframe[title="Zahlung"]').getByLabel('Vorname')).toBeVisible()
})

test('if a stored user chooses a language, the server stores it', async ({ page }) => {
  const sentBodies: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/user'))
      sentBodies.push(request.postDataJSON())
  })
  await page.goto('/')
  await languageSelect(page).selectOption('es')
  await expect(heading(page, 'Todas las series')).toBeVisible()
  const name = { display_name: 'Ada' }
  const status = await page.evaluate(async (body) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/api/user', { method: 'POST', headers, body: JSON.stringify(body) })).status
  }, name)
  expect(status).toBe(200)
  await page.reload()
  await expect(heading(page, 'Todas las series')).toBeVisible()
  await page.waitForFunction(() => localStorage.getItem('user')?.includes('Ada'))
  await languageSelect(page).selectOption('fy')
  await expect.poll(() => languageOnServer(page)).toBe('fy')
  expect(sentBodies).toEqual([name, { language: 'fy' }])
})

async function languageOnServer(page: Page): Promise<string | null> {
  const answer = await page.request.get('/api/user')
  const { info } = (await answer.json()) as { info: { language: string | null } }
  return info.language
}
