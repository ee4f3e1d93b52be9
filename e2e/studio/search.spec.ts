import type { Request } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { createLabelledDraft, openStudioWithSession } from '#e2e/support/studio.ts'

/** Returns a unique tag name. */
const uniqueName = (word: string) => `${word}${crypto.randomUUID().slice(0, 6)}`

test('one request finds videos while the operator types; the URL has the words, and the field keeps the focus @desktop', async ({
  page,
}) => {
  await openStudioWithSession(page, 'editor')
  await createLabelledDraft(page, {})
  await page.goto('/studio/videos?state=draft')
  const list = page.getByRole('table', { name: 'Videos' })
  await expect(list).toBeVisible()
  const keywords: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/studio/videos') keywords.push(searchParams.get('keyword'))
  })
  const field = page.getByRole('searchbox', { name: 'Search by title' })
  await field.focus()
  // Types by a script in the page, so that there is no pause between letters on any machine.
  await field.evaluate((_, words) => {
    for (const letter of words) document.execCommand('insertText', false, letter)
  }, 'labelled dr')
  await expect(page).toHaveURL(/\?state=draft&q=labelled\+dr$/)
  await expect(list.getByRole('row', { name: 'A labelled draft' }).first()).toBeVisible()
  await expect(field).toBeFocused()
  await expect.poll(() => keywords).toEqual(['labelled dr'])

  await field.pressSequentially('zz')
  await expect(page.getByText('No videos match this title.')).toBeVisible()
  await field.fill('')
  await expect(page).toHaveURL(/\?state=draft$/)
  await expect(list).toBeVisible()
})

test('a late response does not replace the result of newer input @desktop', async ({ page }) => {
  const [slow, quick] = [uniqueName('slow'), uniqueName('quick')]
  await openStudioWithSession(page, 'editor')
  await createLabelledDraft(page, { tags: [slow, quick] })
  await page.goto('/studio/videos/labels')
  const slowHold = Promise.withResolvers<void>()
  await page.route(`**/api/studio/tags?keyword=${slow}`, async (route) => {
    await slowHold.promise
    await route.continue()
  })
  const field = page.getByRole('searchbox', { name: 'Search by name' })
  const slowRequest = page.waitForRequest(`**/api/studio/tags?keyword=${slow}`)
  await field.fill(slow)
  await slowRequest
  const isSlowRequest = (request: Request) => request.url().includes(slow)
  // The page may cancel the request or receive its response.
  const slowRequestEnded = Promise.race([
    page.waitForEvent('requestfinished', isSlowRequest),
    page.waitForEvent('requestfailed', isSlowRequest),
  ])
  await field.fill(quick)
  const tags = page.getByRole('table', { name: 'Tags' })
  await expect(tags.getByRole('row')).toHaveCount(2)
  slowHold.resolve()
  await slowRequestEnded
  await expect(tags.getByRole('row', { name: quick })).toBeVisible() // stays
  await expect(field).toHaveValue(quick)
})

test('the search field follows the URL: the area’s navigation link clears the field @desktop', async ({
  page,
}) => {
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/videos?q=nothing-is-called-so')
  const field = page.getByRole('searchbox', { name: 'Search by title' })
  await expect(field).toHaveValue('nothing-is-called-so')
  await page
    .getByRole('navigation', { name: 'Studio navigation' })
    .getByRole('link', { name: 'Videos' })
    .click()
  await expect(page).toHaveURL(/\/studio\/videos$/)
  await expect(field).toHaveValue('')
})
