import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { totpCodeAt } from '#server/testing/builders/operator.ts'
import { studioPassword, inviteOperator, openStudioByInvitation } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

test('an owner accepts an invitation, adds an editor, and sees both in the audit log', async ({ page }) => {
  await openStudioByInvitation(page, 'owner')
  await page.goto('/studio/team')
  const eva = `eva-${crypto.randomUUID().slice(0, 8)}@example.com`
  await page.getByLabel('E-mail').fill(eva)
  await page.getByRole('button', { name: 'Create link' }).click()
  const dialog = page.getByRole('dialog', { name: 'One-time link' })
  await expect(dialog.locator('code')).toHaveText(/\/studio\/welcome#invitation=/)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('row', { name: eva })).toContainText('Invited')
  await expect(page.getByRole('table', { name: 'Audit log' })).toContainText('Invited a team member')
})

test('changing a role asks for confirmation, and a message then reports the change', async ({ page }) => {
  const { email } = await inviteOperator('analyst')
  await openStudioByInvitation(page, 'owner')
  await page.goto('/studio/team')
  const role = page.getByLabel(`Role of ${email}`)
  await role.selectOption('Owner')
  const question = page.getByRole('dialog', { name: 'Change role?' })
  await expect(question).toContainText(`${email} changes from Analyst to Owner.`)
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await page.reload()
  await expect(role).toHaveValue('analyst')
  await role.selectOption('Editor')
  await question.getByRole('button', { name: 'Change role' }).click()
  await expect(page.getByText(`${email} is now Editor.`)).toBeVisible()
  await expect(role).toHaveValue('editor')
})

test('an invited operator chooses the language, and the secret for the authenticator app stays the same', async ({
  page,
}) => {
  const { link } = await inviteOperator('editor')
  await page.goto(link)
  const secret = (await page.locator('code').textContent()) ?? ''
  await page.getByLabel('Language').selectOption('Deutsch')
  await expect(page.getByRole('heading', { name: 'Willkommen im Studio' })).toBeVisible()
  await expect(page.locator('code')).toHaveText(secret)
  for (const field of await page.locator('input[type=password]').all()) await field.fill(studioPassword)
  await page
    .getByRole('textbox', { name: /Authentifizierungs-App/ })
    .fill(totpCodeAt(secret.replaceAll(' ', ''), new Date()))
  await page.getByRole('button', { name: 'Studio öffnen' }).click()
  await expect(page.locator('ul code')).toHaveCount(10)

  // The page reports that the link was already used. No toast repeats this.
  await page.goto('/studio')
  await page.goto(link)
  await expect(page.getByRole('alert')).toContainText('bereits verwendet')
  await page.waitForLoadState('networkidle')
  expect(await page.locator('[popover]:popover-open').count()).toBe(0)
})

test('an error message disappears once the input is valid @desktop', async ({ page }) => {
  const { link } = await inviteOperator('editor')
  await page.goto(link)
  const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
  for (const field of await page.locator('input[type=password]').all()) await field.fill(studioPassword)
  const code = page.getByRole('textbox', { name: /authenticator app/ })
  const wrong = page.locator('[popover]').getByText('This code is wrong')
  await code.fill('000000')
  await page.getByRole('button', { name: 'Open the studio' }).click()
  await expect(wrong).toBeVisible()
  await code.fill(totpCodeAt(secret, new Date()))
  await page.getByRole('button', { name: 'Open the studio' }).click()
  await expect(page.locator('ul code')).toHaveCount(10)
  expect(await wrong.isVisible()).toBe(false)
})

test('a returning operator signs in with password and code, and signs out @desktop', async ({ page }) => {
  const { email, secret } = await openStudioByInvitation(page, 'analyst')
  // Loads a new page, because the navigation that follows the invitation could close the menu.
  await page.goto('/studio')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  // On a phone, a button opens the account menu.
  const account = page.getByRole('button', { name: 'Account and language' })
  if (await account.isVisible()) await account.click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(studioPassword)
  await page.getByRole('button', { name: 'Sign in to the studio' }).click()
  // The field has just appeared, so it has no error yet.
  await expect(page.getByLabel(/authenticator app/)).not.toHaveAttribute('aria-invalid', 'true')
  // The current code was used by the first sign-in; the next one is already valid.
  await page.getByLabel(/authenticator app/).fill(totpCodeAt(secret, new Date(Date.now() + 30_000)))
  await page.getByRole('button', { name: 'Sign in to the studio' }).click()
  await expect(page.getByRole('navigation', { name: 'Studio navigation' })).toBeVisible()
})

test('an analyst sees the team without actions @desktop', async ({ page }) => {
  await openStudioByInvitation(page, 'analyst')
  await page.goto('/studio/team')
  await expect(page.getByRole('table', { name: 'Team' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create link' })).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Audit log' })).toHaveCount(0)
})

for (const [language, word] of [
  ['en', 'Team'],
  ['dy', 'Team'],
] as const)
  test(
    `invitation, sign-in and team are accessible and fit, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      const { link } = await inviteOperator('editor')
      await page.goto(`/studio?lang=${language}`)
      await expect(page.locator('button[type=submit]')).toBeVisible()
      await expectAccessible(page)
      await expectNoOverflow(page)
      await page.goto(link.replace('welcome', `welcome?lang=${language}`))
      await expect(page.locator('code')).toBeVisible()
      await expectAccessible(page)
      await expectNoOverflow(page)
      await openStudioByInvitation(page, 'owner')
      await page.goto(`/studio/team?lang=${language}`)
      await expect(page.getByRole('heading', { name: word, exact: true })).toBeVisible()
      await expect(page.getByRole('table').first()).toBeVisible()
      await expectAccessible(page)
      await expectNoOverflow(page)
    },
  )
