import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { createDraft, uploadFilms, createLabelledDraft, openStudioByInvitation } from '#e2e/support/studio.ts'
import { tinyVideo } from '#e2e/support/tiny-video.ts'

test.use({ bypassCSP: true })

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })
const area = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Studio navigation' }).getByRole('link', { name })

/** Reloads, expects that the browser asks, and stays on the page. */
async function expectPromptBeforeReload(page: Page): Promise<void> {
  const prompt = page.waitForEvent('dialog', { timeout: 60_000 }).then(async (dialog) => {
    await dialog.dismiss()
    return dialog.type()
  })
  await page.evaluate(() => location.reload())
  expect(await prompt).toBe('beforeunload')
  // The page still responds.
  await expect(page.getByRole('main', { name: 'Studio' })).toBeVisible() // stays
}

test('a video’s page asks before it is left, but only while input is unsaved', async ({ page }) => {
  await openStudioByInvitation(page, 'owner')
  const name = `A night that was typed ${crypto.randomUUID().slice(0, 8)}`
  await createDraft(page, name)
  await page.goto('/studio/videos')
  await page.getByRole('link', { name }).click()
  const title = page.getByRole('group', { name: 'Español' }).getByLabel('Title')
  await title.fill('Una noche ')
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').first().click()
  await expect(page).toHaveURL(/#episodes$/)
  await expect(question(page)).toHaveCount(0)

  await area(page, 'Plans').click()
  await expect(question(page)).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.keyboard.press('Enter')
  await expect(question(page)).toHaveCount(0)
  await expect(title).toHaveValue('Una noche ')
  await page.goBack()
  await expect(question(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question(page)).toHaveCount(0)
  await expect(title).toHaveValue('Una noche ')
  await expectPromptBeforeReload(page)
  await expect(title).toHaveValue('Una noche ')

  await page.getByRole('button', { name: 'Save texts' }).click()
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible()
  await area(page, 'Plans').click()
  await expect(page.getByRole('heading', { name: 'Plans and pricing' })).toBeVisible()
  await page.goBack()
  await expect(title).toHaveValue('Una noche')

  await page.getByLabel('Episode price').fill('7.77')
  await area(page, 'Plans').click()
  await question(page).getByRole('button', { name: 'Leave', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Plans and pricing' })).toBeVisible()
})

const forms = [
  ['the homepage that is composed', '/studio/homepage', 'Footer text'],
  ['a text in Markdown', '/studio/homepage/texts/refundPolicy/pt', 'Markdown'],
  ['a plan', '/studio/plans/new', 'Introductory price'],
  ['a setting', '/studio/settings', 'Facebook pixel'],
  ['a link', '/studio/analytics', 'Link name'],
  ['an experiment', '/studio/experiments/new', 'Name'],
  ['an invitation', '/studio/team', 'E-mail'],
] as const

test('every form of the studio asks before unsaved input is lost, even by signing out @screens', async ({
  page,
}) => {
  await openStudioByInvitation(page, 'owner')
  for (const [name, path, label] of forms)
    await test.step(name, async () => {
      await page.goto(path)
      await page.getByLabel(label).first().fill('123')
      await area(page, 'System status').click()
      await expect(question(page)).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(question(page)).toHaveCount(0)
      await expect(page.getByLabel(label).first()).toHaveValue('123')
      await expectPromptBeforeReload(page)
      const account = page.getByRole('button', { name: 'Account and language' })
      if (await account.isVisible()) await account.click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await expect(question(page)).toBeVisible()
      await question(page).getByRole('button', { name: 'Keep editing' }).click()
      await area(page, 'System status').click()
      await question(page).getByRole('button', { name: 'Leave', exact: true }).click()
      await expect(page).toHaveURL(/\/studio\/system$/)
    })
})

test('every sheet with a form asks before it closes with unsaved input, however it is closed @screens', async ({
  page,
}) => {
  await openStudioByInvitation(page, 'owner')
  const name = `typed${crypto.randomUUID().slice(0, 8)}`
  const draft = await createLabelledDraft(page, { category: name })
  await uploadFilms(page, draft, [await tinyVideo()])
  const sheets = [
    [`/studio/videos/${draft}`, 'Titles of episode 1', 'Title (English)'],
    [`/studio/videos/${draft}`, 'Schedule', 'Publish date'],
    ['/studio/videos', 'New video', 'English title'],
    ['/studio/videos/labels', `Rename ${name}`, 'English'],
  ] as const
  for (const [path, opener, label] of sheets)
    await test.step(opener, async () => {
      await page.goto(path)
      await page.getByRole('button', { name: opener, exact: true }).click()
      const sheet = page.getByRole('dialog').filter({ has: page.getByLabel(label) })
      const field = sheet.getByLabel(label)
      const typed =
        (await field.getAttribute('type')) === 'datetime-local' ? '2034-05-06T07:08' : 'A changed one'
      await field.fill(typed)
      const closings = [
        () => page.keyboard.press('Escape'),
        () => page.mouse.click(5, 5),
        () => sheet.getByRole('button', { name: 'Close', exact: true }).click(),
        () => sheet.getByRole('button', { name: 'Cancel', exact: true }).click(),
      ]
      for (const close of closings) {
        await close()
        await expect(question(page)).toBeVisible()
        await page.keyboard.press('Enter')
        await expect(question(page)).toHaveCount(0)
        await expect(field).toHaveValue(typed)
      }
      // Repeated presses do not lose input either.
      for (const openQuestions of [1, 0, 1, 0, 1, 0]) {
        await page.keyboard.press('Escape')
        // A closed dialog remains in the page for a moment.
        await expect(page.locator('dialog')).toHaveCount(1 + openQuestions)
        await expect(field).toHaveValue(typed)
      }
      await page.keyboard.press('Escape')
      await expectAccessible(page)
      await expectNoOverflow(page)
      await question(page).getByRole('button', { name: 'Leave', exact: true }).click()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await page.getByRole('button', { name: opener, exact: true }).click()
      await expect(field).not.toHaveValue(typed)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })
})
