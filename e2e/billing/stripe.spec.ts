import type { FrameLocator, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { doubleClickBeforeSend } from '#e2e/support/double-click-before-send.ts'
import {
  expectNoOverflow,
  expectNoLayoutShift,
  expectAccessible,
  narrowPhone,
  recordLayoutShifts,
} from '#e2e/support/page-quality.ts'
import { resolvePath } from '#e2e/support/routes.ts'
import { interceptStripe } from '#e2e/fakes/intercept-stripe.ts'
import {
  cardForm,
  choosePaymentMethod,
  expectPlaying,
  lockedPanel,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

const cards = {
  pays: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  asksBank: '4000 0027 6000 3184',
}
const desktop = { width: 1440, height: 900 }
const formPath = '/order/easy?kind=video&id={video}&gateway=stripe&method=card'

/** Returns Stripe's fields, each in its frame. */
const fieldsIn = (form: FrameLocator | Page) => {
  const inputIn = (title: string) => form.frameLocator(`iframe[title="${title}"]`).getByRole('textbox')
  return {
    number: inputIn('Secure card number input frame'),
    expiry: inputIn('Secure expiration date input frame'),
    cvc: inputIn('Secure CVC input frame'),
  }
}
const bankIn = (form: FrameLocator) => form.frameLocator(`iframe[title="The bank's check"]`)

/** Opens the card form for an episode, and fills in the payer's details. */
async function openForm(page: Page, episode: number) {
  await page.goto(await towerUrl(page, episode))
  const panel = lockedPanel(page, episode)
  await choosePaymentMethod(panel, 'Card')
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  const { form } = cardForm(page)
  const fields = fieldsIn(form)
  // The browser may lose input that is typed while the frames load.
  for (const field of Object.values(fields)) await field.waitFor()
  await form.getByLabel('E-mail').fill('ada@example.com')
  await form.getByLabel('First name').fill('Ada')
  await form.getByLabel('Last name').fill('Lovelace')
  return { form, fields, pay: form.getByRole('button', { name: 'Pay $0.99' }) }
}

async function typeCard(fields: ReturnType<typeof fieldsIn>, number: string): Promise<void> {
  await fields.number.fill(number)
  await fields.expiry.fill('12 / 39')
  await fields.cvc.fill('123')
}

test("a card in Stripe's fields pays once, however often the button is pressed, and only the payment page loads Stripe's script", async ({
  page,
  context,
}) => {
  const stripeRequests = await interceptStripe(context)
  const { fields, pay } = await openForm(page, 4)
  await typeCard(fields, cards.pays)
  await doubleClickBeforeSend(page, pay, '**/api/payment/order')
  await expectPlaying(page, 4)
  expect(stripeRequests.confirmed).toBe(1)
  expect(new Set(stripeRequests.scriptRequesters)).toEqual(new Set(['/order/easy']))
})

test.describe('a declined card', () => {
  // The browser logs Stripe's response to a declined card.
  test.use({ allowedConsoleMessages: /status of 402/ })

  test('shows a message of the site, the form stays filled, and another card pays @screens', async ({
    page,
    context,
  }) => {
    await interceptStripe(context)
    const { form, fields, pay } = await openForm(page, 4)
    await typeCard(fields, cards.declined)
    await pay.click()
    await expect(form.getByRole('alert')).toContainText('declined')
    await expect(form.getByLabel('First name')).toHaveValue('Ada')
    await expect(fields.number).toHaveValue(cards.declined)
    await fields.number.fill(cards.pays)
    await pay.click()
    await expectPlaying(page, 4)
  })
})

test('a failed 3-D Secure check charges nothing, and a second attempt succeeds', async ({
  page,
  context,
}) => {
  await interceptStripe(context)
  const { form, fields, pay } = await openForm(page, 5)
  await typeCard(fields, cards.asksBank)
  await pay.click()
  await bankIn(form).getByRole('button', { name: 'Fail' }).click()
  await expect(form.getByRole('alert')).toContainText('didn’t confirm')
  await pay.click()
  await bankIn(form).getByRole('button', { name: 'Complete' }).click()
  await expectPlaying(page, 5)
})

test('incomplete fields show what is missing, the first incomplete field gets the focus, and no order is created @screens', async ({
  page,
  context,
}) => {
  await interceptStripe(context)
  const orders: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/payment/order')) orders.push(request.url())
  })
  const { form, fields, pay } = await openForm(page, 4)
  const [number, expiry, cvv] = [
    /Check the card number/,
    /Check the expiry date/,
    /Enter the 3-digit code/,
  ].map((words) => form.getByText(words))
  await fields.number.fill('4242')
  await expect(form.getByText(/Check the card number/)).toHaveCount(0)
  await fields.expiry.focus()
  await expect(form.getByText(/Check the card number/)).toBeVisible()
  await pay.click()
  for (const message of [number, expiry, cvv]) await expect(message ?? form.owner()).toBeVisible() // stays
  await expect(fields.number).toBeFocused()
  await typeCard(fields, cards.pays)
  for (const message of [number, expiry, cvv]) await expect(message ?? form.owner()).toHaveCount(0)
  await form.getByLabel('E-mail').fill('')
  await fields.cvc.fill('12')
  await pay.click()
  await expect(form.getByLabel('E-mail')).toBeFocused()
  await expect(form.getByText(/Enter the 3-digit code/)).toBeVisible() // stays
  expect(orders).toEqual([])
})

test('if the tab is closed after the card payment, the webhook event settles the payment @screens', async ({
  page,
  context,
}) => {
  const stripeRequests = await interceptStripe(context)
  // The page's report to the server never arrives.
  await page.route('**/api/payment/pay', () => {})
  const { fields, pay } = await openForm(page, 6)
  await typeCard(fields, cards.pays)
  const payRequest = page.waitForRequest('**/api/payment/pay')
  await pay.click()
  await payRequest
  expect(stripeRequests.confirmed).toBe(1)
  await page.close()
  const newPage = await context.newPage()
  await newPage.goto(await towerUrl(newPage, 6))
  await expectPlaying(newPage, 6)
})

test.describe("if Stripe's script does not load", () => {
  test.use({ allowedConsoleMessages: /net::ERR_FAILED/ })

  test('a message is shown, and trying again loads the fields @screens', async ({ page, context }) => {
    await interceptStripe(context)
    let scriptRequests = 0
    await page.route('https://js.stripe.com/v3/', (route) =>
      scriptRequests++ === 0 ? route.abort() : route.fallback(),
    )
    await page.goto(await resolvePath(page, formPath))
    const alert = page.getByRole('alert')
    await expect(alert).toContainText('js.stripe.com')
    await expect(page.getByRole('button', { name: /^Pay/ })).toBeDisabled()
    await alert.getByRole('button').click()
    await fieldsIn(page).number.fill(cards.pays)
    await expect(page.getByRole('button', { name: /^Pay/ })).toBeEnabled()
  })
})

test.describe('the form with its messages', () => {
  // axe is injected into the page as a script.
  test.use({ bypassCSP: true })

  for (const locale of ['en-US', 'de-DE'])
    test.describe(`in ${locale}`, () => {
      test.use({ locale })
      test(
        'is accessible, shifts no layout, and long words fit',
        { tag: '@screens' },
        async ({ page, context }) => {
          await interceptStripe(context)
          await recordLayoutShifts(page)
          await page.goto(await resolvePath(page, formPath))
          await fieldsIn(page).number.fill('4242')
          await expectAccessible(page)
          await expectNoLayoutShift(page)
          await page.locator('button[type=submit]').click()
          await expect(page.getByText(/card number\.|die Kartennummer/)).toBeVisible()
          for (const size of [desktop, narrowPhone]) {
            await page.setViewportSize(size)
            await expectAccessible(page)
            await expectNoOverflow(page)
          }
        },
      )
    })
})
