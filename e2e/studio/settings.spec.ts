import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

test('if an owner disables a language, its viewers see the default language until it is enabled again', async ({
  page,
  browser,
}) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/settings')
  const saveButton = page.getByRole('button', { name: 'Save languages' })
  const portuguese = page.getByLabel('Português')
  await portuguese.uncheck()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await saveButton.click()
  await expect(saveButton).toBeDisabled()

  const viewer = await (await browser.newContext({ locale: 'pt-PT' })).newPage()
  const expectLanguage = (lang: string) =>
    expect(async () => {
      await viewer.goto('/')
      await expect(viewer.locator('html')).toHaveAttribute('lang', lang, { timeout: 5_000 })
    }).toPass()
  await expectLanguage('en')
  await expect(viewer.locator('header select option')).toHaveText([
    'English',
    'Español',
    'Français',
    'Deutsch',
  ])

  await portuguese.check()
  await saveButton.click()
  await expect(saveButton).toBeDisabled()
  await expectLanguage('pt')
  await viewer.context().close()
})

test('a contact address is set and reset; an analyst has read access only', async ({ page, browser }) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/settings')
  const address = page.getByLabel('Contact address')
  await address.fill('nobody')
  await page.getByRole('button', { name: 'Save Contact address' }).click()
  await expect(page.getByText('This value isn’t valid.').first()).toBeVisible()
  await address.fill('desk@drama.example')
  await page.getByRole('button', { name: 'Save Contact address' }).click()
  const resetButton = page.getByRole('button', { name: 'Reset to default Contact address' })
  await expect(resetButton).toBeVisible()
  await resetButton.click()
  await expect(resetButton).toHaveCount(0)
  const other = await (await browser.newContext({ bypassCSP: true })).newPage()
  await openStudioWithSession(other, 'analyst')
  await other.goto('/studio/settings')
  await expect(other.getByText('English, Español, Français, Deutsch')).toBeVisible()
  await expect(other.getByRole('main').getByRole('button')).toHaveCount(0)
  await other.context().close()
})

for (const [language, word] of [
  ['en', 'Settings'],
  ['dy', 'Einstellungen'],
] as const)
  test(
    `settings are accessible and fit, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      await openStudioWithSession(page, 'owner')
      await page.goto(`/studio/settings?lang=${language}`)
      await expect(page.getByRole('heading', { name: word, exact: true })).toBeVisible()
      await expect(page.getByRole('checkbox').first()).toBeVisible()
      await expectAccessible(page)
      await expectNoOverflow(page)
    },
  )
