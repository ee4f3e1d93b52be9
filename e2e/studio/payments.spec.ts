import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { orderNumber } from '#contract/order-number.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'
import { expectPlaying, lockedPanel, payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

test.use({ bypassCSP: true })

/** Buys the fourth episode. @returns the order's id */
async function buy(page: Page): Promise<string> {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expectPlaying(page, 4)
  const { data } = (await (await page.request.get('/api/payment')).json()) as {
    data: { list: { id: string }[] }
  }
  return data.list[0]?.id ?? ''
}

test('support finds an order, syncs it and refunds a part; the page updates immediately', async ({
  page,
}) => {
  const order = await buy(page)
  await openStudioWithSession(page, 'support')
  await page.goto(`/studio/customers?keyword=${order}`)
  await page.getByRole('table', { name: 'Customers' }).getByRole('link').click()
  await page.getByRole('table', { name: 'Orders' }).getByRole('link').click()
  await expect(page.getByRole('table', { name: 'Ledger' })).toContainText('sales:episode')
  await page.getByRole('button', { name: 'Sync with gateway' }).click()
  await expect(page.getByText('The order is in sync with the gateway.')).toBeVisible()
  await page.getByRole('button', { name: 'Refund' }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund' })
  await dialog.getByLabel('Amount (USD)').fill('9.99')
  await expect(dialog.getByText('This is more than can be refunded.')).toBeVisible()
  await expect(dialog.getByText('A partial refund.')).toHaveCount(0)
  await dialog.getByLabel('Reason').fill('goodwill')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(dialog.getByText('Enter an amount up to $0.99.')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel('Amount (USD)').fill('0.40')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(page.getByText('$0.40 was refunded.')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Refunds' })).toContainText('goodwill')
  // The list of refunds has the text "Refunded" too.
  const status = page
    .getByRole('term')
    .filter({ hasText: /^Status$/ })
    .locator('+ dd')
  await expect(status).toHaveText('Partially refunded')
  await expect(page.getByRole('table', { name: 'Audit log' })).toContainText('order refund')

  await page.getByRole('button', { name: 'Refund' }).click()
  // The remaining amount is filled in.
  await expect(dialog.getByLabel('Amount (USD)')).toHaveValue('0.59')
  await expect(dialog.getByText('The remaining amount is refunded')).toBeVisible()
  await dialog.getByLabel('Reason').fill('all of it after all')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(page.getByText('$0.59 was refunded.')).toBeVisible()
  await expect(status).toHaveText('Refunded')
  await expect(page.getByRole('table', { name: 'Refunds' }).getByRole('row')).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Refund' })).toHaveCount(0)
  await expectAccessible(page)
  await expectNoOverflow(page)
})

/** Creates unpaid orders of a guest. @returns the guest's id, and the orders' ids, the latest first */
async function order(page: Page, gateways: string[]): Promise<{ customer: string; orders: string[] }> {
  const guest = (await (await page.request.get('/api/user')).json()) as { info: { id: string } }
  const url = new URL(await towerUrl(page, 1), siteUrl)
  const id = url.pathname.split('/').at(-1) ?? ''
  const answer = await page.request.get(`/api/video/episode?video_id=${id}`)
  const { data } = (await answer.json()) as { data: { list: { id: string; state: string }[] } }
  const locked = data.list.filter(({ state }) => state === 'locked')
  const orders: string[] = []
  for (const [index, gateway] of gateways.entries()) {
    const orderResponse = await page.request.post('/api/payment/order', {
      headers: { origin: siteUrl },
      data: { kind: 'episode', episode_id: locked[index]?.id, gateway, email: 'buyer@example.com' },
    })
    const { info } = (await orderResponse.json()) as { info: { id: string } }
    orders.unshift(info.id)
  }
  return { customer: guest.info.id, orders }
}

const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv-SE')

test('orders are filtered by status, gateway, customer and date; the URL has the filters, and the export has the same orders @desktop', async ({
  page,
}) => {
  const { customer, orders } = await order(page, ['sandbox', 'stripe'])
  const [byStripe = '', bySandbox = ''] = orders
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/payments')
  const rows = page.getByRole('table', { name: 'Orders' }).getByRole('row')
  const find = async (changeFilter: () => Promise<unknown>, address: RegExp, count: number) => {
    await changeFilter()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect(page).toHaveURL(address)
    if (count === 0) await expect(page.getByText('No orders match your filters')).toBeVisible()
    else await expect(rows).toHaveCount(count + 1)
  }
  const [state, gateway] = [page.getByLabel('Status'), page.getByLabel('Gateway')]
  const customerField = page.getByLabel('E-mail, order number or ID')
  await find(() => customerField.fill(customer), /customer=/, 2)
  await find(() => gateway.selectOption('Stripe'), /gateway=stripe/, 1)
  await expect(rows.last()).toContainText('Stripe')
  await find(() => state.selectOption('Paid'), /status=paid/, 0)
  await expectAccessible(page)
  await expectNoOverflow(page)

  await page.goBack()
  await expect(rows).toHaveCount(2)
  await expect(state).toHaveValue('')
  await page.goBack()
  await expect(rows).toHaveCount(3)
  await expect(gateway).toHaveValue('')
  await expect(customerField).toHaveValue(customer)
  await page.goForward()
  await expect(gateway).toHaveValue('stripe')
  await page.reload()
  await expect(rows).toHaveCount(2)
  await expect(gateway).toHaveValue('stripe')

  await rows.last().getByRole('link').click()
  await expect(page.getByText(byStripe, { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'All orders' }).click()
  await expect(page).toHaveURL(/gateway=stripe/)
  await find(() => gateway.selectOption('All'), /customer=[^&]*$/, 2)
  await find(() => page.getByLabel('From').fill(dayFromNow(3)), /since=/, 0)
  await find(() => page.getByLabel('From').fill(dayFromNow(-3)), /since=/, 2)
  await find(() => page.getByLabel('To', { exact: true }).fill(dayFromNow(-3)), /until=/, 0)
  await find(() => page.getByLabel('To', { exact: true }).fill(dayFromNow(0)), /until=/, 2)

  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
  expect(lines[0]).toMatch(/^order,created_at,/)
  expect(lines.slice(1).map((line) => /ord_\w+/.exec(line)?.[0])).toEqual([byStripe, bySandbox])
})

/** Mocks a discrepancy: the gateway holds 10 cents less than the ledger. */
const mockDiscrepancy = (page: Page, order_id: string) =>
  page.route('**/api/studio/reconciliation*', async (route) => {
    const response = await route.fetch()
    const { info } = (await response.json()) as { info: { balances: { ledger_cents: number }[] } }
    const cents = { amount_cents: 99, ledger_cents: 99, gateway_cents: 89, currency: 'USD' }
    const about = { kind: 'payment', gateway: 'sandbox', reference: 'sbx_1', order_id, abandoned: true }
    const discrepancies = [{ ...about, ...cents, since: new Date().toISOString() }]
    const balances = info.balances.map((each) => ({ ...each, gateway_cents: each.ledger_cents - 10 }))
    await route.fulfill({ response, json: { code: 200, info: { ...info, discrepancies, balances } } })
  })

test('the day’s reconciliation shows the ledger’s and each gateway’s amounts and the difference; a discrepancy links to its order', async ({
  page,
}) => {
  const order = await buy(page)
  await openStudioWithSession(page, 'support')
  await page.goto('/studio/payments/reconciliation')
  await page.getByRole('button', { name: 'Reconcile now' }).click()
  const balance = page.getByRole('table', { name: 'Ledger vs. gateways' })
  const sandbox = balance.getByRole('row', { name: 'Sandbox' })
  await expect(sandbox).toContainText(/\$\d.*\$\d.*None/)
  await expect(page.getByRole('button', { name: 'Reconcile now' })).toBeEnabled()
  await expectAccessible(page)
  await expectNoOverflow(page)

  await mockDiscrepancy(page, order)
  await page.goto('/studio/payments/reconciliation?lang=dy')
  const german = page.getByRole('table', { name: 'Buchungen und Zahlungsdienste' })
  await expect(german.getByRole('row', { name: 'Sandbox' })).toContainText(/-0,10\s\$/)
  const discrepancyRow = page
    .getByRole('table', { name: 'Abweichungen' })
    .getByRole('row', { name: orderNumber(order) })
  await expect(discrepancyRow).toContainText(/0,99\s\$.*0,89\s\$/)
  await expect(discrepancyRow).toContainText('Wir prüfen nicht mehr.')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await discrepancyRow.getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'The Test Tower · 4' })).toBeVisible()
})

test('the analyst sees revenue without actions', async ({ page }) => {
  await openStudioWithSession(page, 'analyst')
  await page.goto('/studio/payments/reconciliation')
  await expect(page.getByRole('heading', { name: 'Daily summary' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reconcile now' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Customers' })).toHaveCount(0)
})

for (const [language, words] of [
  ['en', ['Payments', 'Customers', 'Plans and pricing', 'New plan']],
  ['dy', ['Zahlungen', 'Kunden', 'Abos und Preise', 'Neues Abo']],
] as const)
  test(
    `payments, customers and plans are accessible and fit, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      await openStudioWithSession(page, 'owner')
      const paths = ['/studio/payments', '/studio/customers', '/studio/plans', '/studio/plans/new']
      for (const [index, path] of paths.entries()) {
        await page.goto(`${path}?lang=${language}`)
        await expect(page.getByRole('heading', { name: words[index], exact: true })).toBeVisible()
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
        await expectAccessible(page)
        await expectNoOverflow(page)
      }
    },
  )

const experimentsCode = '**/assets/ExperimentsScreen-*.js'

test.describe('without a connection', () => {
  // axe may request style sheets meanwhile.
  test.use({ allowedConsoleMessages: /ERR_INTERNET_DISCONNECTED|^Couldn't load preload assets/ })

  /** Follows a link from the orders page after the connection is lost. */
  const followOffline = async (page: Page, link: string) => {
    await openStudioWithSession(page, 'owner')
    await page.goto('/studio/payments')
    await expect(page.getByLabel('Gateway')).toBeVisible()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: link }).click()
    await expect(page.getByText('You’re offline.')).toBeVisible()
  }

  test('a page opened offline shows a message, and loads automatically when the connection is back @desktop', async ({
    page,
    context,
  }) => {
    await followOffline(page, 'Disputes')
    await expectAccessible(page)
    await expectNoOverflow(page)
    await context.setOffline(false)
    await expect(page.getByText('You’re offline.')).toHaveCount(0)
    await expect(page.getByText('No disputes match this filter').or(page.getByRole('table'))).toBeVisible()
  })

  test('an area whose code is not loaded yet loads automatically when the connection is back @desktop', async ({
    page,
    context,
  }) => {
    await followOffline(page, 'Experiments')
    await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'true')
    await expect(page.getByText('Something went wrong')).toHaveCount(0)
    await context.setOffline(false)
    await expect(page.getByRole('heading', { name: 'Experiments', level: 1 })).toBeVisible()
    await expect(page.getByText('You’re offline.')).toHaveCount(0)
  })

  /** Leaves the orders page; the connection drops while the next page's code loads. */
  const goOfflineWhileLoading = async (page: Page) => {
    await openStudioWithSession(page, 'owner')
    await page.goto('/studio/payments')
    await expect(page.getByLabel('Gateway')).toBeVisible()
    await page.route(experimentsCode, async (route) => {
      await page.context().setOffline(true)
      await route.abort('internetdisconnected')
    })
    await page.getByRole('link', { name: 'Experiments' }).click()
    await expect(page.getByText('You’re offline.')).toBeVisible()
    await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'true')
    await page.unroute(experimentsCode)
  }

  test('if the connection drops while an area’s code loads, the area loads later without an error @desktop', async ({
    page,
    context,
  }) => {
    await goOfflineWhileLoading(page)
    await expectAccessible(page)
    await expectNoOverflow(page)
    await context.setOffline(false)
    await expect(page.getByRole('heading', { name: 'Experiments', level: 1 })).toBeVisible()
    await page.goBack()
    await expect(page.getByLabel('Gateway')).toBeVisible()
  })

  test('if the operator has returned to the previous page, that page stays, and the area loads when it is opened again @desktop', async ({
    page,
    context,
  }) => {
    await goOfflineWhileLoading(page)
    await page.getByRole('link', { name: 'Payments' }).click()
    await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false')
    await page.getByLabel('Gateway').evaluate((field) => (field.id = 'the-same'))
    const answered = page.waitForResponse((response) => response.request().method() === 'HEAD')
    await context.setOffline(false)
    await answered
    await page.getByRole('link', { name: 'Experiments' }).hover()
    await expect(page.locator('#the-same')).toBeVisible()
    await page.getByRole('link', { name: 'Experiments' }).click()
    await expect(page.getByRole('heading', { name: 'Experiments', level: 1 })).toBeVisible()
  })
})

test.describe('when an area’s code throws', () => {
  test.use({ allowedConsoleMessages: /it broke/ })

  test('the page shows an error, which is reported @desktop', async ({ page }) => {
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.route(experimentsCode, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: "throw new Error('it broke')" }),
    )
    await openStudioWithSession(page, 'owner')
    await page.goto('/studio/payments')
    await expect(page.getByLabel('Gateway')).toBeVisible()
    await page.getByRole('link', { name: 'Experiments' }).click()
    await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
    await expect.poll(() => errors).toEqual(['it broke'])
    await page.unroute(experimentsCode)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { name: 'Experiments', level: 1 })).toBeVisible()
  })
})
