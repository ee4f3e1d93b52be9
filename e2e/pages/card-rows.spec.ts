import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoLayoutShift, recordLayoutShifts } from '#e2e/support/page-quality.ts'
import { openRoute } from '#e2e/support/routes.ts'

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
  return {
    row,
    previous: section.getByRole('button', { name: `Previous: ${title}` }),
    next: section.getByRole('button', { name: `Next: ${title}` }),
    seeAll: section.getByRole('link', { name: `See all: ${title}` }),
    scrolledBy: () => row.evaluate(({ scrollLeft }) => scrollLeft),
    remainingScroll: () =>
      row.evaluate(({ scrollLeft, clientWidth, scrollWidth }) => scrollWidth - clientWidth - scrollLeft),
  }
}

test('buttons beside a row of cards scroll it with a mouse, and are disabled at its ends @screens', async ({
  page,
}) => {
  const { row, previous, next, scrolledBy, remainingScroll } = await openRow(page)
  await expect(next).toBeEnabled()
  await expect(previous).toBeDisabled()
  await row.hover()
  await expect(next).toHaveCSS('opacity', '1')
  await expect(previous).toHaveCSS('opacity', '0')
  await next.click()
  // A click scrolls by the width of the visible cards.
  await expect.poll(scrolledBy).toBeGreaterThan(1300)
  await expect(previous).toBeEnabled()
  await next.click()
  await expect.poll(remainingScroll).toBeLessThan(1)
  await expect(next).toBeDisabled()
  // Another click on the disabled button opens no drama.
  await page.mouse.down()
  await page.mouse.up()
  await expect(page).toHaveURL(/\/$/)
  await previous.click()
  await expect.poll(remainingScroll).toBeGreaterThan(1300)
  await previous.click()
  await expect.poll(scrolledBy).toBe(0)
  await expect(previous).toBeDisabled()
  await expect(next).toBeEnabled()
})

test('the carousel has the same buttons as a row, and a disabled button does not intercept clicks @screens', async ({
  page,
}) => {
  await openRoute(page, '/')
  const carousel = page.getByRole('region').filter({ has: page.getByRole('link', { name: '1 of' }) })
  const next = carousel.getByRole('button', { name: 'Next' })
  const previous = carousel.getByRole('button', { name: 'Previous' })
  const track = carousel.getByRole('list')
  await expect(next).toBeEnabled()
  await expect(previous).toHaveCSS('pointer-events', 'none')
  await next.click()
  await expect.poll(() => track.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(300)
  await previous.click()
  await expect.poll(() => track.evaluate(({ scrollLeft }) => scrollLeft)).toBe(0)
})

test('the buttons of a row work with the keyboard; at the end of the row, the disabled button keeps the focus @screens', async ({
  page,
}) => {
  const { seeAll, next, previous, scrolledBy, remainingScroll } = await openRow(page)
  await expect(next).toBeEnabled()
  await seeAll.focus()
  await page.keyboard.press('Tab')
  await expect(next).toBeFocused()
  await expect(next).toHaveCSS('opacity', '1')
  await page.keyboard.press('Enter')
  await expect.poll(scrolledBy).toBeGreaterThan(1300)
  await page.keyboard.press('Enter')
  await expect.poll(remainingScroll).toBeLessThan(1)
  await expect(next).toBeDisabled()
  await expect(next).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(previous).toBeFocused()
})

const nextLabels = { en: 'Next', es: 'Siguiente', fy: 'Suivant', dy: 'Weiter', pt: 'Próximo' }

test('the buttons of a row are labelled in the current language, and cause no layout shift @screens', async ({
  page,
}) => {
  await recordLayoutShifts(page)
  const { next } = await openRow(page)
  await expect(next).toBeEnabled()
  await expectNoLayoutShift(page)
  for (const [language, label] of Object.entries(nextLabels)) {
    await page.getByRole('combobox').selectOption(language)
    await expect(page.getByRole('button', { name: `${label}: ${title}` })).toBeAttached()
  }
  // Each change of the language requests the homepage. The last request may still be running.
  await page.unrouteAll({ behavior: 'wait' })
})

test.describe('on a touchscreen', () => {
  test.use({ hasTouch: true, isMobile: true })

  test('a row has no buttons @screens', async ({ page }) => {
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const { row, next } = await openRow(page)
    // The buttons would load in the same idle time as the parts that set this mark.
    await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
    await row.tap({ position: { x: 1, y: 1 } })
    await expect(next).toHaveCount(0)
    expect(requests.filter((url) => url.includes('/RowButtons-'))).toEqual([])
  })
})
