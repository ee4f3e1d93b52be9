import { expect, test } from './fixtures.ts'
import { expectFits, expectReadable } from './page-quality.ts'
import { enterStudio } from './studio.ts'

test.use({ bypassCSP: true })

test('an editor writes a text beside its preview, viewers read it, and it goes back to how it came @phone', async ({
  page,
  browser,
}) => {
  await enterStudio(page, 'editor')
  await page.goto('/studio/homepage/texts')
  await page.getByRole('row', { name: 'Content policy' }).getByRole('link', { name: 'Español' }).click()
  const text = page.getByLabel('Text in Markdown')
  await text.fill('# Ours\n\n<b>Raw</b> and **strong**, [bad](javascript:alert(1)), {{nowhere}}')
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview.getByText('Lines with {{nowhere}} are left out')).toBeVisible()
  await text.fill('# Ours\n\n<b>Raw</b> and **strong**, [bad](javascript:alert(1))')
  await expect(preview.locator('strong')).toHaveText('strong')
  await expect(preview.getByText('<b>Raw</b>')).toBeVisible()
  await expect(preview.getByRole('link')).toHaveCount(0)
  await expectReadable(page)
  await expectFits(page)
  const shown = await preview.getByRole('paragraph').last().innerText()
  await page.getByRole('button', { name: 'Save for viewers' }).click()
  await expect(page.getByText('Written here on')).toBeVisible()

  const viewer = await (await browser.newContext()).newPage()
  await expect(async () => {
    await viewer.goto('/contentPolicy?lang=es')
    await expect(viewer.getByRole('heading', { name: 'Ours' })).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expect(viewer.getByText(shown)).toBeVisible()
  await viewer.context().close()

  await page.getByRole('button', { name: 'Back to the original' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Back to the original' }).click()
  await expect(page.getByText('Original', { exact: true })).toBeVisible()
  await expect(text).not.toHaveValue(/Ours/)
})

test('of two who write at once the second is told, and loses nothing @desktop', async ({ page, browser }) => {
  const path = '/studio/homepage/texts/commonQuestions/pt'
  await enterStudio(page, 'editor')
  const other = await (await browser.newContext({ bypassCSP: true })).newPage()
  await enterStudio(other, 'owner')
  for (const desk of [page, other]) {
    await desk.goto(path)
    // Both have read the same text.
    await expect(desk.getByLabel('Text in Markdown')).toBeVisible()
  }
  await page.getByLabel('Text in Markdown').fill('# First')
  await page.getByRole('button', { name: 'Save for viewers' }).click()
  await expect(page.getByText('Written here on')).toBeVisible()
  await other.getByLabel('Text in Markdown').fill('# Second')
  await other.getByRole('button', { name: 'Save for viewers' }).click()
  await expect(other.getByText('Somebody else has changed this text')).toBeVisible()
  await expect(other.getByLabel('As it is now')).toHaveValue('# First')
  await expect(other.getByLabel('Text in Markdown')).toHaveValue('# Second')
  await expectReadable(other)
  await other.getByRole('button', { name: 'Save mine in its place' }).click()
  await expect(other.getByText('Written here on')).toBeVisible()
  await other.getByRole('button', { name: 'Back to the original' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Back to the original' }).click()
  await expect(other.getByText('Original', { exact: true })).toBeVisible()
  await other.context().close()
})

for (const [language, words] of [
  ['en', ['Texts', 'Icon']],
  ['dy', ['Texte', 'Symbol']],
] as const)
  test(`texts and icon are readable and fit, in ${language}`, { tag: '@screens' }, async ({ page }) => {
    await enterStudio(page, 'owner')
    for (const [index, path] of ['texts', 'icon'].entries()) {
      await page.goto(`/studio/homepage/${path}?lang=${language}`)
      await expect(page.getByRole('link', { name: words[index], exact: true })).toHaveAttribute(
        'aria-current',
        'page',
      )
      await expect(page.locator('main table, main img')).toBeVisible()
      await expectReadable(page)
      await expectFits(page)
    }
    await page.goto(`/studio/homepage/texts/privacyPolicy/dy?lang=${language}`)
    await expect(page.getByRole('region').getByRole('listitem').first()).toBeVisible()
    await expectReadable(page)
    await expectFits(page)
  })
