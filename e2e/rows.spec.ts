import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openRoute } from './routes.ts'

test.use({ viewport: { width: 1440, height: 900 }, isMobile: false, hasTouch: false })

const title = 'A long row'

/** Adds a row that is longer than the window. */
async function addRow(page: Page): Promise<void> {
  await page.route('**/api/homepage', async (route) => {
    const response = await route.fetch()
    const { info, ...rest } = (await response.json()) as {
      info: { homepage: { id: string; items: object[] }[] }
    }
    const items = Array.from({ length: 21 }, (_, i) => ({ ...info.homepage[0]?.items[0], id: `vid_${i}` }))
    const row = { id: 'sec_row', kind: 'row', title, items, has_more: true }
    await route.fulfill({ response, json: { ...rest, info: { ...info, homepage: [...info.homepage, row] } } })
  })
}

async function openRow(page: Page) {
  await addRow(page)
  await openRoute(page, '/')
  const section = page.getByRole('region', { name: title })
  const row = section.getByRole('list')
  await row.scrollIntoViewIfNeeded()
  const named = () => page.evaluate(() => document.documentElement.style.getPropertyValue('--row-after'))
  await expect.poll(named).not.toBe('')
  return { section, row, moved: () => row.evaluate(({ scrollLeft }) => scrollLeft) }
}

/** The names of the buttons that a screen reader finds, those of the style sheet too. */
async function buttonNames(page: Page): Promise<(string | undefined)[]> {
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  return nodes.filter(({ role }) => role?.value === 'button').map(({ name }) => name?.value)
}

test('a mouse moves a row of cards by the buttons beside it', async ({ page }) => {
  const { row, moved } = await openRow(page)
  const box = await row.boundingBox()
  if (!box) throw new Error('the row is not shown')
  const middle = box.y + box.height / 2 - 20
  await page.mouse.click(box.x + box.width - 32, middle)
  await expect.poll(moved).toBeGreaterThan(800)
  await expect(page).toHaveURL(/\/$/)
  await page.mouse.click(box.x + 32, middle)
  await expect.poll(moved).toBe(0)
})

test('the buttons of a row are pressed by keyboard, and have names in the language of the screens', async ({
  page,
}) => {
  const { section, moved } = await openRow(page)
  await section.getByRole('link', { name: `See all: ${title}` }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect.poll(moved).toBeGreaterThan(800)
  await expect(page).toHaveURL(/\/$/)
  const english = await buttonNames(page)
  // Those of the carousel, and those of the row.
  expect(english.filter((name) => name === 'Next')).toHaveLength(2)
  expect(english.filter((name) => name === 'Previous')).toHaveLength(2)
  await page.getByRole('combobox', { name: 'Language' }).selectOption('dy')
  await expect.poll(async () => (await buttonNames(page)).filter((name) => name === 'Weiter')).toHaveLength(2)
  // In another language the homepage is asked for again.
  await page.unrouteAll({ behavior: 'wait' })
})
