import type { Browser, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { createDraft, uploadFilms, openStudioWithSession } from '#e2e/support/studio.ts'
import { tinyVideo } from '#e2e/support/tiny-video.ts'

test.use({ bypassCSP: true })

/** Opens the page of a draft with converted episodes. @returns its unique title */
async function openConverted(page: Page, count: number): Promise<string> {
  await openStudioWithSession(page, 'editor')
  const title = `Publish ${crypto.randomUUID().slice(0, 8)}`
  const id = await createDraft(page, title)
  await uploadFilms(page, id, Array<Buffer>(count).fill(await tinyVideo()))
  await page.goto(`/studio/videos/${id}`)
  await expect(page.getByRole('img', { name: `Cover of ${title}` })).toBeVisible()
  await expect(page.locator('#episodes').getByText(/· Ready/)).toHaveCount(count)
  return title
}

/** Returns the number of videos with this title that a visitor finds. */
async function foundByVisitors(browser: Browser, title: string): Promise<number> {
  const context = await browser.newContext({ locale: 'en-US' })
  const answer = await context.request.get('/api/homepage/query', { params: { keyword: title, limit: 5 } })
  const { data } = (await answer.json()) as { data: { list: { title: string }[] } }
  await context.close()
  return data.list.filter((video) => video.title === title).length
}

test('a video is scheduled, unscheduled, published and archived; visitors find it while it is published', async ({
  page,
  browser,
}) => {
  const title = await openConverted(page, 1)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('Schedule').click()
  const dialog = page.getByRole('dialog', { name: 'Schedule' })
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(dialog.getByText('Choose a date and time.')).toBeVisible()
  await dialog.getByLabel('Publish date').fill('2020-05-04T20:15')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(dialog.getByText('This time has passed.')).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await dialog.getByLabel('Publish date').fill('2041-05-04T20:15')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(/Scheduled · goes live on .*2041/)).toBeVisible()
  await expectAccessible(page)
  expect(await foundByVisitors(browser, title)).toBe(0)

  await button('Reschedule').click()
  await expect(page.getByLabel('Publish date')).toHaveValue('2041-05-04T20:15')
  await page.getByLabel('Publish date').fill('2042-05-04T20:15')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/goes live on .*2042/)).toBeVisible()
  await button('Back to draft').click()
  await expect(page.getByText('Draft · visible to your team only')).toBeVisible()

  await button('Publish now').click()
  await expect(page.getByText(/Published · live since/)).toBeVisible()
  await expect.poll(() => foundByVisitors(browser, title)).toBeGreaterThan(0)
  await button('Archive').click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await expect(page.getByText(/Archived · hidden from lists/)).toBeVisible()
  await expect.poll(() => foundByVisitors(browser, title)).toBe(0)
  await expect(button('Publish again')).toBeVisible()
})

test('the preview shows what a visitor, a member and a subscriber can watch, and the prices of locked episodes', async ({
  page,
}) => {
  await openConverted(page, 2)
  await page.getByLabel('Free episodes').fill('1')
  await page.getByLabel('Episode price').fill('0.55')
  await page.getByLabel('Full series price').fill('5.55')
  await page.getByRole('button', { name: 'Save details' }).click()
  await expect(page.locator('#episodes').getByText(/Locked ·/)).toHaveCount(1)
  const preview = page.locator('#preview')
  const viewAs = preview.getByLabel('View as')
  const second = preview.getByRole('button', { name: /^Episode 2/ })
  for (const [name, words] of [
    ['Visitor', 'Not signed in'],
    ['Member', 'Signed in without a subscription or purchase'],
  ] as const) {
    await viewAs.selectOption(name)
    await expect(preview.getByText(words)).toBeVisible()
    await preview.getByRole('button', { name: 'Episode 1, unlocked' }).click()
    await expect(preview.locator('video')).toBeVisible()
    await expect(second).toHaveAccessibleName('Episode 2 is locked')
    await second.click()
    await expect(preview.getByText('$0.55 for this episode, $5.55 for the full series')).toBeVisible()
    await expect(preview.locator('video')).toHaveCount(0)
  }
  await expectAccessible(page)
  await viewAs.selectOption('Subscriber')
  await expect(second).toHaveAccessibleName('Episode 2, unlocked')
  await expect(preview.locator('video')).toBeVisible()
  await expect(preview.getByText(/\$0\.55/)).toHaveCount(0)
  await expectAccessible(page)
  await expectNoOverflow(page)
})
