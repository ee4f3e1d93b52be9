import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { typeInto } from '#e2e/support/keyboard.ts'
import { expectNoOverflow, expectAccessible, overlap } from '#e2e/support/page-quality.ts'
import { createLabelledDraft, openStudioWithSession } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

/** Returns the names of this test's categories in order. */
const orderOf = async (page: Page, own: string) =>
  (await page.getByRole('button', { name: new RegExp(`^Move .*${own} up$`) }).allTextContents()).map(
    (words) => /Move (\S+)/.exec(words)?.[1],
  )

/** Searches for tags, and waits until all others have left the table: a click on a row that moves is lost. */
async function searchLabels(page: Page, words: string): Promise<void> {
  await page.getByLabel('Search by name').fill(words)
  await page.keyboard.press('Enter')
  const names = page.getByRole('table', { name: 'Tags' }).getByRole('rowheader')
  await expect(names.filter({ hasNotText: words })).toHaveCount(0)
}

/** Returns a unique name. */
const uniqueName = (word: string) => `${word}${crypto.randomUUID().slice(0, 6)}`

test('the actions for a tag are visible without scrolling, in German @desktop', async ({ page }) => {
  const names = {
    en: 'Time loop',
    es: 'Bucle temporal',
    fy: 'Boucle temporelle',
    dy: 'Zeitschleife',
    pt: 'Ciclo temporal',
  }
  const tag = { id: 'tag_1', slug: 'time-loop', names, video_count: 4, running_task: null }
  await openStudioWithSession(page, 'editor')
  await page.route('**/api/studio/tags*', (route) =>
    route.fulfill({ json: { code: 200, data: { list: [tag], next_cursor: null } } }),
  )
  const tags = page.getByRole('region', { name: 'Schlagwörter', exact: true })
  for (const width of [1280, 1310, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/studio/videos/labels?lang=dy')
    await expect(tags.getByRole('button', { name: 'Löschen Zeitschleife' })).toBeVisible()
    const hidden = await tags.evaluate((frame) => frame.scrollWidth - frame.clientWidth)
    expect.soft(hidden, `hidden at ${width} px`).toBe(0)
  }
})

test('a tag is renamed in several languages; an English name is required', async ({ page }) => {
  const before = uniqueName('old')
  const [after, german] = [uniqueName('new'), uniqueName('neu')]
  await openStudioWithSession(page, 'editor')
  await createLabelledDraft(page, { tags: [before] })
  await page.goto('/studio/videos/labels')
  await searchLabels(page, before)
  // Leaving the search field starts another search, which must not close the dialog.
  await page.getByLabel('Search by name').fill(before.slice(0, -1))
  await page.getByRole('button', { name: `Rename ${before}` }).click()
  const dialog = page.getByRole('dialog', { name: `Rename ${before}` })
  await expect(dialog.getByLabel('English')).toBeFocused()
  await dialog.getByLabel('English').fill('')
  await typeInto(page, dialog.getByLabel('Deutsch'), german)
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Enter an English name.')).toBeVisible()
  await expect(dialog.getByLabel('English')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type(after)
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await searchLabels(page, after)
  await expect(page.getByRole('row', { name: after })).toContainText(german)
  await searchLabels(page, before)
  await expect(page.getByText('No tags match this name.')).toBeVisible()
})

test('the buttons of a long sheet are visible without scrolling, and cover no focused field @screens', async ({
  page,
}) => {
  const tag = uniqueName('long')
  await openStudioWithSession(page, 'editor')
  await createLabelledDraft(page, { tags: [tag] })
  await page.goto('/studio/videos/labels')
  await searchLabels(page, tag)
  await page.getByRole('button', { name: `Rename ${tag}` }).click()
  const dialog = page.getByRole('dialog', { name: `Rename ${tag}` })
  const save = dialog.getByRole('button', { name: 'Save' })
  for (const [width, height] of [
    [390, 844],
    [844, 390],
  ] as const) {
    await page.setViewportSize({ width, height })
    await expect(save).toBeInViewport({ ratio: 1 })
    await dialog.getByLabel('English').focus()
    for (const name of ['Español', 'Français', 'Deutsch', 'Português']) {
      await page.keyboard.press('Tab')
      const field = dialog.getByLabel(name)
      await expect(field).toBeFocused()
      await expect.poll(() => overlap(field, save)).toBe(false)
    }
  }
})

test('merging a tag into another removes the first tag, and deleting a tag keeps its video', async ({
  page,
}) => {
  const [from, into, deletedTag] = [uniqueName('from'), uniqueName('into'), uniqueName('lone')]
  await openStudioWithSession(page, 'editor')
  const video = await createLabelledDraft(page, { tags: [from, deletedTag] })
  await createLabelledDraft(page, { tags: [into] })
  await page.goto('/studio/videos/labels')
  await searchLabels(page, from)
  await page.getByRole('button', { name: `Merge ${from}` }).click()
  const dialog = page.getByRole('dialog', { name: `Merge ${from} into another` })
  await dialog.getByLabel('Search').fill(into)
  await page.keyboard.press('Enter')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: `Merge into ${into}` }).click()
  await expect(page.getByText('No tags match this name.')).toBeVisible()

  await searchLabels(page, deletedTag)
  await page.getByRole('button', { name: `Delete ${deletedTag}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No tags match this name.')).toBeVisible()
  await page.goto(`/studio/videos/${video}`)
  await expect(page.getByLabel('Tags')).toHaveValue(into)
})

test('the keyboard changes the order of the categories in the menu, and the focus stays on the moved category', async ({
  page,
}) => {
  const own = uniqueName('')
  const [first, second] = [`first${own}`, `second${own}`]
  await openStudioWithSession(page, 'editor')
  await createLabelledDraft(page, { category: first })
  await createLabelledDraft(page, { category: second })
  await page.goto('/studio/videos/labels')
  const up = page.getByRole('button', { name: `Move ${second} up` })
  await expect(up).toBeVisible()
  const [top] = await orderOf(page, own)
  const lower = top === first ? second : first
  const step = lower === second ? up : page.getByRole('button', { name: `Move ${first} up` })
  await expect(step).toBeEnabled()
  // Another test may add a category in between; the order is then refused and reloaded.
  await expect(async () => {
    await step.focus()
    const answered = page.waitForResponse('**/api/studio/categories/order', { timeout: 30_000 })
    await page.keyboard.press('Enter')
    expect(await (await answered).json()).toMatchObject({ code: 200 })
    await expect.poll(() => orderOf(page, own), { timeout: 30_000 }).toEqual([lower, top])
  }).toPass()
  await expect(page.locator(':focus')).toContainText(`Move ${lower}`)
  await page.reload()
  await expect(step).toBeVisible()
  await expect.poll(() => orderOf(page, own)).toEqual([lower, top])
})

test('an analyst sees the categories and tags without actions', async ({ page }) => {
  await openStudioWithSession(page, 'analyst')
  await page.goto('/studio/videos/labels')
  await expect(page.getByRole('table', { name: 'Tags' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Categories' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: /Rename|Merge|Delete|Move/ })).toHaveCount(
    0,
  )
})

for (const [language, heading] of [
  ['en', 'Categories and tags'],
  ['dy', 'Kategorien und Schlagwörter'],
] as const)
  test(
    `the page of categories and tags is accessible and fits, in ${language}`,
    { tag: '@screens' },
    async ({ page }) => {
      await openStudioWithSession(page, 'editor')
      await page.goto(`/studio/videos/labels?lang=${language}`)
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      await expect(page.getByRole('table').last()).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      await expectAccessible(page)
      await expectNoOverflow(page)
    },
  )

test('an unknown URL of the studio shows a message', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  for (const path of ['videos/vid_none', 'videos/labels/more', 'analytics/links', 'payments/ord_none/more']) {
    await page.goto(`/studio/${path}`)
    await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible()
  }
})
