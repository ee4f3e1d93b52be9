import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { waitForMail } from '#e2e/support/site-mails.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { cardForm, expectProgress, payByCard } from '#e2e/support/playback-and-payment.ts'

test.use({ site: { template: 'door', withFakeServices: false, settings: {} }, bypassCSP: true })

const pays = '4242 4242 4242 4242'
/** This card can be saved, and has expired by the first renewal. */
const expiringCard = '4000 0000 0000 0341'

const subscriptionRegion = (page: Page) => page.getByRole('region', { name: 'Your subscription' })

async function check(page: Page): Promise<void> {
  await expectNoOverflow(page)
  await expectAccessible(page)
}

/** Subscribes to the weekly plan as a guest, and opens the member area. */
async function subscribe(page: Page, number: string, email?: string): Promise<void> {
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await payByCard(page, { number, ...(email === undefined ? {} : { email }) })
  await expect(subscriptionRegion(page)).toContainText('Weekly renews on')
  await page.goto('/my')
}

/** Reloads the member area until it shows the text, which appears once the site's jobs have run. */
async function expectAfterReload(page: Page, text: string): Promise<void> {
  await expect(async () => {
    // Until the response, the member area shows the user that is stored in the browser.
    await Promise.all([page.waitForResponse('**/api/user'), page.reload()])
    await expect(subscriptionRegion(page)).toContainText(text, { timeout: 5_000 })
  }).toPass()
}

/** Returns the address of the locked episode. */
async function lockedUrl(page: Page): Promise<string> {
  const answer = await page.request.get('/api/homepage')
  const { info } = (await answer.json()) as { info: { homepage: { items: { id: string }[] }[] } }
  return `/videos/${info.homepage.flatMap(({ items }) => items)[0]?.id ?? ''}?episode=2`
}

/** Pays in the card form that has its own page. */
async function payOnPage(page: Page, button: string): Promise<void> {
  await page.getByLabel('E-mail').fill(`ada-${crypto.randomUUID().slice(0, 8)}@example.com`)
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  const card = page.frameLocator('iframe[title="Card"]')
  await card.getByLabel('Card number').fill(pays)
  await card.getByLabel('Expiry').fill('12 / 39')
  await card.getByLabel('CVV').fill('123')
  await page.getByRole('button', { name: button, exact: true }).click()
}

test('if the card has expired at the renewal, the plan is past due, episodes still play, and another card pays at once', async ({
  page,
}) => {
  await subscribe(page, expiringCard)
  await currentSite().server.advanceClock('7d')
  await expectAfterReload(
    page,
    'The last payment for Weekly didn’t go through. You can watch every episode until',
  )
  await check(page)
  await page.goto(await lockedUrl(page))
  await expectProgress(page)
  await page.goto('/my')
  await subscriptionRegion(page).getByRole('link', { name: 'Pay now' }).click()
  await expect(page.getByText('$9.99 every 7 days until you cancel').last()).toBeVisible()
  await expect(page.getByText(/withdraw/)).toHaveCount(0)
  await check(page)
  await payOnPage(page, 'Pay $9.99')
  // The result page redirects automatically.
  await expect(page).not.toHaveURL(/\/order\//)
  await page.goto('/my')
  await expect(subscriptionRegion(page)).toContainText('Weekly renews on')
})

/** Opens the sheet that changes the payment method. @returns the sheet, its form, and the card's frame in the form */
async function openMethodSheet(page: Page) {
  await subscriptionRegion(page).getByRole('button', { name: 'Change payment method' }).click()
  const sheet = page.getByRole('dialog', { name: 'Change payment method' })
  const form = sheet.frameLocator('iframe[title="Change payment method"]')
  return { sheet, form, card: form.frameLocator('iframe[title="Card"]') }
}

test('after a declined card, another card passes 3-D Secure, is saved without a payment, and pays the next renewal @screens', async ({
  page,
}) => {
  await subscribe(page, expiringCard)
  await expect(subscriptionRegion(page)).toContainText('Charged to: Visa ending in 0341.')
  const { sheet, form, card } = await openMethodSheet(page)
  await expect(form.getByText('Visa ending in 0341')).toBeVisible()
  await expect(
    form.getByText(/You won’t be charged now\. The next charge is \$9\.99 on .+, \d{4}\./),
  ).toBeVisible()
  const save = form.getByRole('button', { name: 'Save card' })
  await expect(form.getByLabel('Last name')).toHaveValue('Lovelace')
  await form.getByLabel('First name').clear()
  await save.click()
  await expect(form.getByLabel('First name')).toBeFocused()
  await form.getByLabel('First name').fill('Ada')
  const type = async (number: string) => {
    await card.getByLabel('Card number').fill(number)
    await card.getByLabel('Expiry').fill('12 / 39')
    await card.getByLabel('CVV').fill('123')
    await save.click()
  }
  await type('4000 0000 0000 0002')
  await expect(form.getByRole('alert')).toContainText('declined')
  await check(page)
  await type('4000 0000 0000 3220')
  const bank = form.frameLocator('iframe[title="Bank verification"]')
  await expect(bank.getByText('card ending in 3220')).toBeVisible()
  await check(page)
  await bank.getByRole('button', { name: 'Confirm' }).click()
  await expect(sheet).toBeHidden()
  await expect(
    page.getByText('Saved. Your plan will be charged to this payment method from now on.'),
  ).toBeVisible()
  await expect(subscriptionRegion(page)).toContainText('Charged to: Visa ending in 3220.')
  await check(page)
  await currentSite().server.advanceClock('7d')
  await expect(async () => {
    await Promise.all([page.waitForResponse(/\/api\/payment\?/), page.reload()])
    await expect(orders(page).getByText('$9.99', { exact: true })).toBeVisible({ timeout: 5_000 })
  }).toPass()
})

test('a wallet that is approved in the same window is saved for the next renewal, and a cancelled approval changes nothing @screens', async ({
  page,
}) => {
  await subscribe(page, pays)
  const answer = async (button: string) => {
    const { sheet, form } = await openMethodSheet(page)
    await sheet.getByText('Wallet', { exact: true }).click()
    await expect(form.getByText('You’ll approve it there and then come back here.')).toBeVisible()
    await check(page)
    await form.getByRole('button', { name: 'Continue to Wallet' }).click()
    // Exact, because the member area, which is open until the wallet's page loads, has a button "Cancel subscription".
    await page.getByRole('button', { name: button, exact: true }).click()
    await expect(page).toHaveURL(/\/my$/)
  }
  await answer('Cancel')
  await expect(page.getByText('Cancelled. Nothing has changed.')).toBeVisible()
  await expect(subscriptionRegion(page)).toContainText('Charged to: Visa ending in 4242.')
  await answer('Approve')
  await expect(
    page.getByText('Saved. Your plan will be charged to this payment method from now on.'),
  ).toBeVisible()
  await expect(subscriptionRegion(page)).toContainText('Charged to: Wallet.')
})

test.describe('when the request to save a card fails', () => {
  // The browser logs the failed request.
  test.use({ allowedConsoleMessages: /status of 503/ })

  test('nothing is shown as saved, and the form stays filled for another try', async ({ page }) => {
    await subscribe(page, pays)
    const { form, card } = await openMethodSheet(page)
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('Last name').fill('Lovelace')
    await card.getByLabel('Card number').fill(pays)
    await card.getByLabel('Expiry').fill('12 / 39')
    await card.getByLabel('CVV').fill('123')
    await page.route('**/api/payment/method', (route) => route.fulfill({ status: 503, body: '{}' }))
    await form.getByRole('button', { name: 'Save card' }).click()
    await expect(form.getByRole('alert')).toContainText('You weren’t charged; try again')
    await page.unroute('**/api/payment/method')
    await expect(form.getByLabel('First name')).toHaveValue('Ada')
    await form.getByRole('button', { name: 'Save card' }).click()
    await expect(
      page.getByText('Saved. Your plan will be charged to this payment method from now on.'),
    ).toBeVisible()
  })
})

test('a plan is cancelled and resumed in the member area with one click each', async ({ page }) => {
  await subscribe(page, pays)
  await subscriptionRegion(page).getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(subscriptionRegion(page)).toContainText(
    'Weekly is cancelled. You can watch every episode until',
  )
  await check(page)
  await subscriptionRegion(page).getByRole('button', { name: 'Resume subscription' }).click()
  await expect(subscriptionRegion(page)).toContainText('Weekly renews on')
})

const orders = (page: Page) => page.getByRole('region', { name: 'Orders and receipts' })

/** Checks that the member area lists the order of the planned change, and that the order's result page shows it. */
async function expectPlannedChange(page: Page): Promise<void> {
  const plannedOrder = orders(page).getByRole('listitem').filter({ hasText: 'Plan: Monthly' })
  await expect(plannedOrder).toContainText(/Starts on .+, \d{4}$/)
  await expect(orders(page).getByRole('link', { name: 'Find order' })).toHaveCount(0)
  await check(page)
  const answer = await page.request.get('/api/payment')
  const { data } = (await answer.json()) as { data: { list: { id: string; status: string }[] } }
  const id = data.list.find(({ status }) => status === 'pending')?.id ?? ''
  await page.goto(`/order/result?order_id=${id}`)
  const statusText = page.getByRole('main').getByRole('status')
  await expect(statusText).toHaveText(
    /^Your plan changes on .+, \d{4}\. You’ll be charged then, not before\.$/,
  )
  await check(page)
  await page.goto('/my')
}

test('a change of plan shows its terms, asks for no card, can be undone with one click, and starts with the next period @screens', async ({
  page,
}) => {
  await subscribe(page, pays)
  const change = async () => {
    await page.goto('/shopping')
    await page.getByRole('button', { name: 'Choose Monthly' }).click()
    const sheet = page.getByRole('dialog', { name: 'Change to Monthly' })
    await expect(sheet).toContainText(/Monthly from .+, \d{4}\. \$24\.99 every 30 days/)
    await expect(sheet).toContainText('You won’t be charged now.')
    await expect(sheet.locator('iframe')).toHaveCount(0)
    await check(page)
    await sheet.getByRole('button', { name: 'Change to Monthly' }).click()
    await expect(sheet).toBeHidden()
    await expect(subscriptionRegion(page)).toContainText(/Monthly from .+, \d{4}\./)
    await expect(page.getByRole('button', { name: 'Your next plan' })).toBeDisabled()
  }
  await change()
  await page.goto('/my')
  await expect(subscriptionRegion(page)).toContainText(
    /Weekly is paid until .+ Monthly from .+, \d{4}\. \$24\.99 every 30 days/,
  )
  await expectPlannedChange(page)
  await subscriptionRegion(page).getByRole('button', { name: 'Keep Weekly' }).click()
  await expect(subscriptionRegion(page)).toContainText('Weekly renews on')
  await expect(subscriptionRegion(page).getByRole('button', { name: 'Keep Weekly' })).toHaveCount(0)
  await expect(orders(page).getByText('Cancelled, not charged')).toBeVisible()
  await change()
  await page.goto('/my')
  await currentSite().server.advanceClock('7d')
  await expectAfterReload(page, 'Monthly renews on')
})

test('if the charge for a change of plan fails, the subscriber pays the price of the new plan manually @screens', async ({
  page,
}) => {
  await subscribe(page, expiringCard)
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Monthly' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change to Monthly' }).click()
  await expect(subscriptionRegion(page)).toContainText(/Monthly from .+, \d{4}\./)
  await page.goto('/my')
  await currentSite().server.advanceClock('7d')
  await expectAfterReload(page, 'The last payment for Monthly didn’t go through')
  await page.goto('/shopping')
  await expect(page.getByRole('button', { name: 'Choose Weekly' })).toBeDisabled()
  await page.getByRole('button', { name: 'Pay now' }).click()
  const { form } = cardForm(page)
  await expect(form.getByRole('button', { name: 'Pay $24.99' })).toBeVisible()
  await payByCard(page, { number: pays })
  await expect(subscriptionRegion(page)).toContainText('Monthly renews on')
})

// At any time, the date in at least one of these two time zones differs from the date in UTC.
for (const timezoneId of ['Pacific/Kiritimati', 'Pacific/Niue'])
  test.describe(`in ${timezoneId}`, () => {
    test.use({ timezoneId })

    test('the receipt in the mail has the same dates as the member area @screens', async ({ page }) => {
      const email = `ada-${crypto.randomUUID().slice(0, 8)}@example.com`
      await subscribe(page, pays, email)
      const { text } = await waitForMail(email, 'Your receipt')
      const mailText = text.replaceAll(/\s+/g, ' ')
      const [renews, paid] = [
        await subscriptionRegion(page).getByText('Weekly renews on').textContent(),
        await orders(page).getByRole('listitem').getByText('Paid').textContent(),
      ].map((line) => /\w+ \d+, \d{4}/.exec(line ?? '')?.[0])
      expect(mailText).toContain(`Your plan renews on ${renews}:`)
      expect(mailText).toContain(`Paid on: ${paid} `)
    })
  })
