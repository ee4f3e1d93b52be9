import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

test('an editor edits a page with a preview, viewers see the new text, and a reset restores the original', async ({
  page,
  browser,
}) => {
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/homepage/texts')
  await page.getByRole('row', { name: 'Content policy' }).getByRole('link', { name: 'Español' }).click()
  const text = page.getByLabel('Markdown')
  await text.fill('# Ours\n\n<b>Raw</b> and **strong**, [bad](javascript:alert(1)), {{nowhere}}')
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview.getByText('Lines with {{nowhere}} are hidden')).toBeVisible()
  await text.fill('# Ours\n\n<b>Raw</b> and **strong**, [bad](javascript:alert(1))')
  await expect(preview.locator('strong')).toHaveText('strong')
  await expect(preview.getByText('<b>Raw</b>')).toBeVisible()
  await expect(preview.getByRole('link')).toHaveCount(0)
  await expectAccessible(page)
  await expectNoOverflow(page)
  const shown = await preview.getByRole('paragraph').last().innerText()
  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText('Edited on')).toBeVisible()

  const viewer = await (await browser.newContext()).newPage()
  await expect(async () => {
    await viewer.goto('/contentPolicy?lang=es')
    await expect(viewer.getByRole('heading', { name: 'Ours' })).toBeVisible({ timeout: 5_000 })
  }).toPass()
  await expect(viewer.getByText(shown)).toBeVisible()
  await viewer.context().close()

  await page.getByRole('button', { name: 'Reset to original' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset to original' }).click()
  await expect(page.getByText('Original', { exact: true })).toBeVisible()
  await expect(text).not.toHaveValue(/Ours/)
})

test('a conflicting edit shows a message and keeps its input @desktop', async ({ page, browser }) => {
  const path = '/studio/homepage/texts/commonQuestions/pt'
  await openStudioWithSession(page, 'editor')
  const other = await (await browser.newContext({ bypassCSP: true })).newPage()
  await openStudioWithSession(other, 'owner')
  for (const tab of [page, other]) {
    await tab.goto(path)
    // Both tabs load the same version.
    await expect(tab.getByLabel('Markdown')).toBeVisible()
  }
  await page.getByLabel('Markdown').fill('# First')
  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText('Edited on')).toBeVisible()
  await other.getByLabel('Markdown').fill('# Second')
  // The current version cannot be loaded at first.
  await other.route(
    '**/api/studio/text?*',
    (route) => route.fulfill({ json: { code: 404, message: 'Not found' } }),
    { times: 1 },
  )
  await other.getByRole('button', { name: 'Publish' }).click()
  await expect(other.getByRole('alert')).toBeVisible()
  await expect(other.getByText('Someone else changed this page')).toHaveCount(0)
  await other.getByRole('button', { name: 'Publish' }).click()
  await expect(other.getByText('Someone else changed this page')).toBeVisible()
  await expect(other.getByLabel('Current version')).toHaveValue('# First')
  await expect(other.getByLabel('Markdown')).toHaveValue('# Second')
  await expectAccessible(other)
  await other.getByRole('button', { name: 'Publish mine instead' }).click()
  await expect(other.getByText('Edited on')).toBeVisible()
  await other.getByRole('button', { name: 'Reset to original' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Reset to original' }).click()
  await expect(other.getByText('Original', { exact: true })).toBeVisible()
  await other.context().close()
})

for (const [language, words] of [
  ['en', ['Pages', 'Icon']],
  ['dy', ['Seiten', 'Symbol']],
] as const)
  test(
    `pages and icon are accessible and fit, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      await openStudioWithSession(page, 'owner')
      for (const [index, path] of ['texts', 'icon'].entries()) {
        await page.goto(`/studio/homepage/${path}?lang=${language}`)
        await expect(page.getByRole('link', { name: words[index], exact: true })).toHaveAttribute(
          'aria-current',
          'page',
        )
        await expect(page.locator('main table, main img')).toBeVisible()
        await expectAccessible(page)
        await expectNoOverflow(page)
      }
      await page.goto(`/studio/homepage/texts/privacyPolicy/dy?lang=${language}`)
      await expect(page.getByRole('region').getByRole('listitem').first()).toBeVisible()
      await expectAccessible(page)
      await expectNoOverflow(page)
    },
  )
