import { request, type Page, type Request } from '@playwright/test'
import { totpCodeAt } from '#server/testing/builders/operator.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { createDraft, studioPassword, openStudioByInvitation } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

type Operator = Awaited<ReturnType<typeof openStudioByInvitation>>

/** Signs the page's operator out everywhere without the page's knowledge. */
async function endSession(page: Page): Promise<void> {
  const otherContext = await request.newContext({ storageState: await page.context().storageState() })
  const response = await otherContext.delete(`${siteUrl}/api/studio/session`, {
    data: { everywhere: true },
    headers: { origin: siteUrl },
  })
  expect(await response.json()).toMatchObject({ code: 200 })
  await otherContext.dispose()
}

const signInDialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in to the studio' })

async function signIn(page: Page, { email, secret }: Operator): Promise<void> {
  await page.getByLabel('E-mail', { exact: true }).last().fill(email)
  await page.locator('input[type=password]').fill(studioPassword)
  await page.getByRole('button', { name: 'Sign in to the studio' }).click()
  // A code is valid once, and the current one was used for the first sign-in.
  await page.getByLabel(/authenticator app/).fill(totpCodeAt(secret, new Date(Date.now() + 30_000)))
  await page.getByRole('button', { name: 'Sign in to the studio' }).click()
}

test('entered text stays when the session ends, and can be published after a new sign-in', async ({
  page,
}) => {
  const operator = await openStudioByInvitation(page, 'editor')
  await page.goto('/studio/homepage/texts/contentPolicy/fy')
  const text = page.getByLabel('Markdown')
  await text.fill('# Typed before the end')
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Typed before the end')
  await endSession(page)
  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(signInDialog(page)).toContainText('to save what you entered')
  await expectAccessible(page)
  await expectNoOverflow(page)
  // Chrome allows a page to prevent only the first of several requests to close a dialog.
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
  await expect(signInDialog(page).getByLabel('E-mail')).toBeVisible() // stays

  await signIn(page, operator)
  await expect(signInDialog(page)).toHaveCount(0)
  await expect(text).toHaveValue('# Typed before the end')
  await expect(page.getByText('sign in first')).toHaveCount(0)
  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText('Edited on')).toBeVisible()
  await page.getByRole('button', { name: 'Reset to original' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset to original' }).click()
  await expect(page.getByText('Original', { exact: true })).toBeVisible()
})

const forms = [
  ['a form', 'draft', '', 'Synopsis', 'Save texts', true],
  ['a sheet', '', 'New video', 'English title', 'Create draft', true],
  // This form is not saved, because that would change the homepage of other tests.
  ['the homepage', '../homepage', '', 'Footer text', 'Publish changes', false],
] as const

for (const [name, path, opener, label, save, saves] of forms)
  test(`input in ${name} of the studio stays when the session ends`, async ({ page }) => {
    const operator = await openStudioByInvitation(page, 'owner')
    const pathEnd = path === 'draft' ? await createDraft(page, 'Typed at the end of a session') : path
    await page.goto(`/studio/videos/${pathEnd}`)
    if (opener) await page.getByRole('button', { name: opener, exact: true }).click()
    const field = page.getByLabel(label).first()
    const hasInput = (request: Request) => Boolean(request.postData()?.includes('7.77'))
    const previewed =
      name === 'the homepage' && page.waitForResponse((response) => hasInput(response.request()))
    await field.fill('7.77')
    // Waits for the preview, because its request would otherwise open the sign-in before the button is pressed.
    await previewed
    await endSession(page)
    const button = page.getByRole('button', { name: save, exact: true })
    await button.click()
    await expect(signInDialog(page)).toBeVisible()
    await signIn(page, operator)
    await expect(signInDialog(page)).toHaveCount(0)
    await expect(field).toHaveValue('7.77')
    await expect(page.getByText('sign in first')).toHaveCount(0)
    if (!saves) return
    const saved = page.waitForResponse((response) => /video\/(add|edit)$/.test(response.url()))
    await button.click()
    expect(await (await saved).json()).toMatchObject({ code: 200 })
  })

test('another operator who signs in does not see the input', async ({ page, browser }) => {
  const otherPage = await browser.newPage()
  const other = await openStudioByInvitation(otherPage, 'owner')
  await otherPage.context().close()
  await openStudioByInvitation(page, 'editor')
  await page.goto('/studio/homepage/texts/contentPolicy/fy')
  await page.getByLabel('Markdown').fill('# Not for others')
  // Waits for the preview, because its request would otherwise open the sign-in before the button is pressed.
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Not for others')
  await endSession(page)
  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(signInDialog(page)).toBeVisible()
  await signIn(page, other)
  await expect(page.getByLabel('Markdown')).not.toHaveValue(/Not for others/)
  await expect(page.getByText('Not for others')).toHaveCount(0)
})

test('signing out of an ended session shows the sign-in page if nothing was entered', async ({ page }) => {
  await openStudioByInvitation(page, 'editor')
  await page.goto('/studio/team')
  await expect(page.getByRole('table', { name: 'Team' })).toBeVisible()
  const account = page.getByRole('button', { name: 'Account and language' })
  if (await account.isVisible()) await account.click()
  await endSession(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to the studio' })).toBeVisible()
  await expect(signInDialog(page)).toHaveCount(0)
  await expect(page.getByRole('navigation', { name: 'Studio navigation' })).toHaveCount(0)
})
