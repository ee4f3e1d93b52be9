import { showHomepage, type StudioHomepage } from '#contract/studio/homepage.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { createLabelledDraft, openStudioWithSession, postToStudio } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

test('an editor selects and previews the videos of a section, and viewers see them in that order @desktop', async ({
  page,
  browser,
}) => {
  // Operators are not tracked as visitors.
  const trackingUrls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/statics.png')) trackingUrls.push(request.url())
  })
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/homepage')
  await page.getByRole('button', { name: 'Add section' }).click()
  const section = page
    .getByRole('listitem')
    .filter({ has: page.getByLabel('Title (English)') })
    .last()
  await expect(section.getByLabel('Title (English)')).toBeFocused()
  await page.keyboard.type('By hand')
  await expect(section.getByLabel('Title (English)')).toHaveValue('By hand')
  await section.getByLabel('Videos', { exact: true }).selectOption('Manual selection')
  const names: string[] = []
  for (const letter of ['t', 's', 'l', 'g']) {
    if (names.length === 2) break
    await section.getByLabel('Search videos by title').fill(letter)
    const list = section.getByRole('list', { name: 'Videos found' })
    // The results for the previous letter may still be visible.
    await expect(list).toHaveAttribute('aria-busy', 'false')
    const found = list.getByRole('listitem').first()
    const name = ((await found.textContent()) ?? '').replace('Add ', '')
    if (name === 'No videos match this title.') continue
    await list.getByRole('button', { name: `Add ${name}`, exact: true }).click()
    names.push(name)
  }
  const [first = '', second = ''] = names
  const preview = page.frameLocator('iframe[src="/?draft"]')
  /** Expects these titles in the preview's row, in order. */
  const expectShown = async (...titles: string[]) => {
    const links = preview.getByRole('region', { name: 'By hand' }).getByRole('listitem')
    await expect(links).toContainText(titles)
  }
  await section.getByRole('button', { name: `Move ${second} up` }).click()
  await expectShown(second, first)
  const picked = section.getByRole('list').first().getByRole('listitem')
  const { height = 0 } = (await picked.last().boundingBox()) ?? {}
  const dropOptions = { targetPosition: { x: 20, y: height - 4 } }
  await picked.first().getByTitle('Drag to reorder').dragTo(picked.last(), dropOptions)
  await expectShown(first, second)
  const up = section.getByRole('button', { name: `Move ${second} up` })
  await up.focus()
  await page.keyboard.press('Enter')
  await expectShown(second, first)
  for (const [size, width] of [
    ['Desktop', 1440],
    ['Phone', 390],
  ] as const) {
    await page.getByRole('button', { name: size, exact: true }).click()
    const body = preview.locator('body')
    await expect.poll(() => body.evaluate(() => innerWidth)).toBe(width)
    await expectShown(second, first)
  }
  expect(await (await page.request.get('/api/homepage')).text()).not.toContain('By hand')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.getByRole('button', { name: 'Publish changes' }).click()
  await expect(page.getByText('Published. Viewers see the new homepage now.')).toBeVisible()
  expect(trackingUrls).toEqual([])

  const viewer = await (await browser.newContext({ locale: 'en-US' })).newPage()
  const row = viewer.getByRole('region', { name: 'By hand' })
  await expect(async () => {
    await viewer.goto('/')
    await expect(row.getByRole('link', { name: second }).first()).toBeAttached({ timeout: 5_000 })
  }).toPass()
  const words = await row.innerText()
  expect(words.indexOf(second)).toBeLessThan(words.indexOf(first))
  await viewer.context().close()

  await page.getByRole('button', { name: 'Remove By hand' }).click()
  await page.getByRole('button', { name: 'Publish changes' }).click()
  // The message of the first publication may still be visible.
  await expect(page.getByRole('status').filter({ hasText: /^Published$/ })).toBeVisible()
})

test('a category that is the source of a homepage section cannot be deleted until the section is removed @desktop', async ({
  page,
}) => {
  const name = `shown${crypto.randomUUID().slice(0, 6)}`
  await openStudioWithSession(page, 'editor')
  await createLabelledDraft(page, { category: name })
  const save = async () => {
    await page.getByRole('button', { name: 'Publish changes' }).click()
    await expect(page.getByText('Published. Viewers see the new homepage now.')).toBeVisible()
  }
  const remove = async () => {
    await page.goto('/studio/videos/labels')
    await page.getByRole('button', { name: `Delete ${name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  }
  await page.goto('/studio/homepage')
  await page.getByRole('button', { name: 'Add section' }).click()
  const section = page
    .getByRole('listitem')
    .filter({ has: page.getByLabel('Title (English)') })
    .last()
  await section.getByLabel('Title (English)').fill('Shown')
  await section.getByLabel('Videos', { exact: true }).selectOption('Category')
  await section.getByLabel('Category', { exact: true }).selectOption(name)
  await save()
  await remove()
  await expect(page.getByText('Choose another source for it first.')).toBeVisible()
  await page.goto('/studio/homepage')
  await page.getByRole('button', { name: 'Remove Shown' }).click()
  await save()
  await remove()
  await expect(page.getByText('Deleted.')).toBeVisible()
  await expect(page.getByRole('button', { name: `Delete ${name}` })).toHaveCount(0)
})

test('a draft survives a publication by another operator and a change of language; its author then chooses which version to use @desktop', async ({
  page,
  browser,
}) => {
  const other = await (await browser.newContext()).newPage()
  await openStudioWithSession(other, 'owner')
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/homepage')
  await page.getByLabel('Footer text').fill('Mine')
  const load = async () =>
    ((await (await page.request.get(showHomepage.path)).json()) as { info: StudioHomepage }).info
  const publishAs = async (line: string | null) => {
    const { draft, version } = await load()
    await postToStudio(other, 'homepage', { draft: { ...draft, copyright: line }, version })
  }
  await publishAs('Theirs')
  const refetched = page.waitForResponse((answer) => answer.url().endsWith(showHomepage.path))
  await page.getByLabel('Language').selectOption('Deutsch')
  await refetched
  const footer = page.getByLabel('Text der Fußzeile')
  const conflict = page.getByRole('alert')
  const publish = async () => {
    await page.getByRole('button', { name: 'Änderungen veröffentlichen' }).click()
    await expect(conflict).toContainText(/\S+@\S+ hat die Startseite am .+ veröffentlicht/)
  }
  await publish()
  await expectAccessible(page)
  await expect(footer).toHaveValue('Mine')
  expect((await load()).draft.copyright).toBe('Theirs')
  await conflict.getByRole('button', { name: 'Andere Fassung verwenden' }).click()
  await expect(conflict).toHaveCount(0)
  await expect(footer).toHaveValue('Theirs')

  await footer.fill('Mine again')
  await publishAs('Theirs again')
  await publish()
  await conflict.getByRole('button', { name: 'Meine Fassung veröffentlichen' }).click()
  await expect(page.getByText('Veröffentlicht. Zuschauer sehen die neue Startseite.')).toBeVisible()
  await expect(conflict).toHaveCount(0)
  expect((await load()).draft.copyright).toBe('Mine again')
  await publishAs(null)
  await other.context().close()
})
