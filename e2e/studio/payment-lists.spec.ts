import type { Locator, Page } from '@playwright/test'
import type { Dispute, ListedOrder } from '#contract/studio/orders.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { activateWithKeyboard } from '#e2e/support/keyboard.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

const order: ListedOrder = {
  id: 'ord_1',
  status: 'partially_refunded',
  kind: 'plan',
  title: 'Weekly',
  number: null,
  amount_cents: 14999,
  refunded_cents: 4999,
  currency: 'USD',
  gateway: 'sandbox',
  method: 'card',
  user_id: 'usr_1',
  email: 'ada-1c317a90@example.com',
  created_at: '2026-11-20T12:00:00.000Z',
  paid_at: '2026-11-20T12:00:00.000Z',
  past_due: false,
  retry_at: null,
}

const dispute: Dispute = {
  attempt_id: 'att_1',
  order,
  disputed_cents: 14999,
  state: 'open',
  reason: 'product_not_received',
  respond_by: '2026-12-09T12:00:00.000Z',
  reference: 'pi_1',
  gateway_url: 'https://gateway.example/disputes/1',
  started_at: '2026-11-20T12:00:00.000Z',
}

/** Mocks a list of the studio with one item. */
const mockList = (page: Page, name: string, item: object) =>
  page.route(new RegExp(`/api/studio/${name}(\\?|$)`), (route) =>
    route.fulfill({ json: { code: 200, data: { list: [item], next_cursor: null } } }),
  )

/** Returns the distance of an element from the top of the window, in px. */
async function topOf(locator: Locator): Promise<number> {
  const box = await locator.boundingBox()
  if (!box) throw new Error('The element is invisible.')
  return Math.round(box.y)
}

const hiddenWidth = (table: Locator) => table.evaluate((frame) => frame.scrollWidth - frame.clientWidth)

test('both dates of the filter are in one row, and the export is beside the filter’s button, at every width @screens', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  await mockList(page, 'orders', order)
  for (const width of [360, 390, 720, 844, 960, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/studio/payments?lang=dy')
    await expect(page.getByRole('region', { name: 'Bestellungen' })).toBeVisible()
    const openFilters = page.getByRole('button', { name: 'Filter', exact: true })
    if (width < 720) await openFilters.click()
    const [since, until] = [page.getByLabel('Von'), page.getByLabel('Bis', { exact: true })]
    expect.soft(await topOf(until), `dates at ${width} px`).toBe(await topOf(since))
    const [apply, link] = [
      width < 720 ? openFilters : page.getByRole('button', { name: 'Filtern' }),
      page.getByRole('link', { name: 'CSV exportieren' }),
    ]
    expect.soft(await topOf(link), `export at ${width} px`).toBe(await topOf(apply))
    await expectNoOverflow(page)
  }
})

test('on a phone, the filters of the orders are behind a button with the number of active filters', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  await mockList(page, 'orders', order)
  await page.goto('/studio/payments?gateway=sandbox')
  const filters = page.getByRole('search', { name: 'Orders' })
  const [toggle, apply] = [
    filters.getByRole('button', { name: /^Filters/ }),
    filters.getByRole('button', { name: 'Apply' }),
  ]
  await expect(toggle).toHaveText('Filters (1)')
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(apply).toBeHidden()
  await expect(page.getByRole('table', { name: 'Orders' }).getByRole('row').nth(1)).toBeInViewport()
  await expectAccessible(page)

  await activateWithKeyboard(page, toggle)
  await expect(toggle).toHaveAttribute('aria-expanded', 'true')
  await filters.getByLabel('From').fill('2026-11-02')
  await filters.getByLabel('To', { exact: true }).fill('2026-11-01')
  await apply.click()
  await expect(filters.getByText('This date is before “From”.')).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await filters.getByLabel('To', { exact: true }).fill('2026-11-03')
  await activateWithKeyboard(page, apply)
  await expect(page).toHaveURL(/gateway=sandbox.*since=2026-11-02/)
  await expect(apply).toBeHidden()
  await expect(toggle).toHaveText('Filters (3)')
  await expect(toggle).toBeFocused()

  await page.goBack()
  await expect(toggle).toHaveText('Filters (1)')
})

test('a partially refunded order fits in landscape, with the e-mail address in at most two lines @screens', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  await mockList(page, 'orders', order)
  await page.setViewportSize({ width: 844, height: 390 })
  for (const [language, name] of [
    ['en', 'Orders'],
    ['dy', 'Bestellungen'],
  ] as const) {
    await page.goto(`/studio/payments?lang=${language}`)
    const table = page.getByRole('region', { name })
    await expect(table).toBeVisible()
    expect.soft(await hiddenWidth(table), language).toBe(0)
    expect.soft(await lineCount(table.getByText(order.email ?? '')), language).toBeLessThanOrEqual(2)
  }
})

test('a dispute fits in landscape with each date in one line, and its link to the gateway is underlined @screens', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  await mockList(page, 'disputes', dispute)
  await page.setViewportSize({ width: 844, height: 390 })
  for (const [language, name, link] of [
    ['en', 'Disputes', 'Respond at Sandbox'],
    ['dy', 'Rückbuchungen', 'Bei Sandbox antworten'],
  ] as const) {
    await page.goto(`/studio/payments/disputes?lang=${language}`)
    await expect(page.getByRole('link', { name: link })).toHaveCSS('text-decoration-line', 'underline')
    const table = page.getByRole('region', { name })
    expect.soft(await hiddenWidth(table), language).toBe(0)
    for (const date of [/^(Dec\s9|09\.12)/, /^(Nov\s20|20\.11)/])
      expect.soft(await lineCount(table.getByText(date)), `${String(date)} in ${language}`).toBe(1)
    await expectNoOverflow(page)
    await expectAccessible(page)
  }
})

/** Counts the lines of a text. */
const lineCount = (text: Locator) =>
  text.evaluate((element) => {
    const content = document.createRange()
    content.selectNodeContents(element)
    return new Set([...content.getClientRects()].map(({ top }) => Math.round(top))).size
  })

test('at 200 % zoom, the status of an order and its note are beside each other @screens', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  await mockList(page, 'orders', { ...order, status: 'failed', past_due: true })
  await page.setViewportSize({ width: 720, height: 450 })
  await page.goto('/studio/payments')
  const [state, note] = [page.getByText('Past due').last(), page.getByText('No more attempts')]
  await expect(note).toBeVisible()
  const [left, right] = [await state.boundingBox(), await note.boundingBox()]
  expect((right?.x ?? 0) - (left?.x ?? 0) - (left?.width ?? 0)).toBeLessThan(24)
})
