import type { Page } from '@playwright/test'
import { expect, test, defaultSite } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'
import { payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

test.use({
  site: { ...defaultSite, withFakeServices: false, settings: { PREPAID_BALANCE: 'on' } },
  bypassCSP: true,
})

/** Tops up $5 and spends $0.99 of it. @returns the top-up's order */
async function topUpAndSpend(page: Page): Promise<string> {
  await page.goto('/my')
  await page.getByRole('button', { name: 'Top up your balance' }).click()
  const sheet = page.getByRole('dialog', { name: 'Top up your balance' })
  await sheet.getByText('$5.00', { exact: true }).click()
  await sheet.getByRole('button', { name: 'Pay $5.00', exact: true }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expect(sheet).toHaveCount(0)
  const { data } = (await (await page.request.get('/api/payment')).json()) as {
    data: { list: { id: string }[] }
  }
  const id = new URL(await towerUrl(page, 1), siteUrl).pathname.split('/').at(-1) ?? ''
  const answer = await page.request.get(`/api/video/episode?video_id=${id}`)
  const episodes = (await answer.json()) as { data: { list: { id: string; state: string }[] } }
  const locked = episodes.data.list.find(({ state }) => state === 'locked')
  await page.request.post('/api/payment/order', {
    headers: { origin: siteUrl, 'idempotency-key': crypto.randomUUID() },
    data: { kind: 'episode', episode_id: locked?.id, gateway: 'balance', amount_cents: 99 },
  })
  return data.list[0]?.id ?? ''
}

test('an owner creates, edits and archives a top-up; viewers see the top-ups on sale', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/plans')
  await page.getByRole('link', { name: 'Top-ups' }).click()
  await page.getByRole('link', { name: 'New top-up' }).click()
  await page.getByRole('button', { name: 'Create top-up' }).click()
  await expect(page.getByLabel('Price')).toBeFocused()
  await page.getByLabel('Price').fill('50')
  await page.getByLabel('Bonus', { exact: true }).fill('9')
  await page.getByLabel('Bonus valid for (days)').fill('90')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.getByRole('button', { name: 'Create top-up' }).click()
  await expect(page.getByRole('heading', { name: '$50.00 + $9.00', level: 1 })).toBeVisible()
  await page.getByLabel('Bonus', { exact: true }).fill('10')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: '$50.00 + $10.00', level: 1 })).toBeVisible()
  const readTopUps = async () => {
    const answer = await page.request.get('/api/balance')
    // `info` is missing until the visit has created a guest.
    return ((await answer.json()) as { info?: { top_ups: object[] } }).info?.top_ups ?? []
  }
  const expectedTopUp = expect.objectContaining({ price_cents: 5000, bonus_cents: 1000, bonus_days: 90 })
  await page.goto('/')
  await expect.poll(readTopUps).toContainEqual(expectedTopUp)
  await page.goto('/studio/plans/top-ups')
  await page.getByRole('link', { name: '$50.00 + $10.00' }).click()
  await page.getByRole('button', { name: 'Archive top-up' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive top-up' }).click()
  await expect(page.getByText('The top-up is archived.')).toBeVisible()
  await page.goto('/studio/plans/top-ups')
  const archived = page.getByRole('table', { name: 'Archived top-ups' })
  await expect(archived.getByRole('link', { name: '$50.00 + $10.00' })).toBeVisible()
  expect(await readTopUps()).not.toContainEqual(expectedTopUp)
})

test('the studio shows the liability of balances, and refunds the unspent part of a top-up @sizes', async ({
  page,
}) => {
  const order = await topUpAndSpend(page)
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/payments/balances')
  const liabilities = page.getByRole('table', { name: 'Unspent money' })
  await expect(liabilities.getByRole('row', { name: /USD/ })).toContainText('$4.01')
  const today = page.getByRole('table', { name: 'By day (UTC)' }).getByRole('row').nth(1)
  await expect(today).toContainText('$5.00')
  await expect(today).toContainText('$0.99')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.goto(`/studio/payments/orders/${order}`)
  await expect(page.getByRole('heading', { name: 'Top-up', level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Refund' }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund' })
  await expect(dialog.getByLabel('Amount (USD)')).toHaveValue('4.01')
  await expect(dialog.getByText('This money isn’t spent.')).toBeVisible()
  await dialog.getByLabel('Amount (USD)').fill('4.50')
  await expect(dialog.getByText('This is more than what is left in the balance.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(dialog.getByText('Enter a reason.').last()).toBeVisible()
  await dialog.getByLabel('Amount (USD)').fill('4.01')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(page.getByText('$4.01 was refunded.')).toBeVisible()
  await page.goto('/studio/payments/balances')
  await expect(page.getByText('All balances are empty.')).toBeVisible()
})
