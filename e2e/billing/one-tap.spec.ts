import type { Page } from '@playwright/test'
import { countInputs } from '#e2e/support/count-inputs.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import {
  expectNoOverflow,
  expectNoLayoutShift,
  expectAccessible,
  narrowPhone,
  readStable,
  recordLayoutShifts,
} from '#e2e/support/page-quality.ts'
import { desktop, phone } from '#e2e/playwright.config.ts'
import { registerMember } from '#e2e/support/register-member.ts'
import { interceptStripe } from '#e2e/fakes/intercept-stripe.ts'
import {
  bankFrame,
  cardForm,
  choosePaymentMethod,
  expectPlaying,
  lockedPanel,
  payByCard,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

const cards = {
  pays: '4242 4242 4242 4242',
  asksBank: '4000 0027 6000 3184',
  declinesLater: '4000 0000 0000 0341',
}
const payButtonName = (last4: string) => `Pay $0.99 with •••• ${last4}`
const saveBox = 'Save this card for future purchases'

/** Buys episode 4 by card, and saves the card. */
async function saveCard(page: Page, number = cards.pays): Promise<void> {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const box = cardForm(page).form.getByRole('checkbox', { name: saveBox })
  await expect(box).not.toBeChecked()
  await box.check()
  await payByCard(page, { number })
  if (number === cards.asksBank) await bankFrame(page).getByRole('button', { name: 'Confirm' }).click()
  await expectPlaying(page, 4)
}

test('a member with a saved card pays with one tap and no key press', async ({ page }) => {
  const inputs = await countInputs(page.context())
  await page.goto('/')
  await registerMember(page)
  await saveCard(page)
  await page.goto(await towerUrl(page, 5))
  const button = lockedPanel(page, 5).getByRole('button', { name: payButtonName('4242') })
  await expect(button).toBeVisible()
  Object.assign(inputs, { taps: 0, keys: 0 })
  const orders: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/payment/'))
      orders.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  const startedAt = Date.now()
  await button.click()
  await expectPlaying(page, 5)
  const elapsedMs = Date.now() - startedAt
  expect(inputs).toEqual({ taps: 1, keys: 0 })
  expect(orders).toEqual(['POST /api/payment/order'])
  test.info().annotations.push({ type: 'one tap', description: `played after ${elapsedMs} ms` })
})

test('a guest who bought without consent to save the card is asked for the card again @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: cards.pays })
  await expectPlaying(page, 4)
  await page.goto(await towerUrl(page, 5))
  await expect(lockedPanel(page, 5).getByRole('button', { name: /^Pay/ })).toHaveText('Pay $0.99')
})

test('if a saved card is declined, the panel shows the reason and the other payment methods, and another card pays @screens', async ({
  page,
}) => {
  await saveCard(page, cards.declinesLater)
  await page.goto(await towerUrl(page, 5))
  const panel = lockedPanel(page, 5)
  const pay = panel.getByRole('button', { name: payButtonName('0341') })
  await expect(pay).toBeVisible()
  await expect(panel.getByText('How would you like to pay?')).toHaveCount(0)
  await pay.click()
  await expect(panel.getByRole('alert')).toContainText('expired')
  await expect(panel.getByText('How would you like to pay?')).toBeVisible()
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: cards.pays })
  await expectPlaying(page, 5)
})

test('the 3-D Secure check of a saved card is shown on the same page, and the episode plays after it is passed', async ({
  page,
}) => {
  await saveCard(page, cards.asksBank)
  await page.goto(await towerUrl(page, 5))
  const panel = lockedPanel(page, 5)
  await panel.getByRole('button', { name: payButtonName('3184') }).click()
  await bankFrame(page).getByRole('button', { name: 'Reject' }).click()
  await expect(panel.getByRole('alert')).toContainText('didn’t confirm')
  await panel.getByText('•••• 3184', { exact: true }).click()
  await panel.getByRole('button', { name: payButtonName('3184') }).click()
  await bankFrame(page).getByRole('button', { name: 'Confirm' }).click()
  await expectPlaying(page, 5)
})

test("Stripe's 3-D Secure check of a saved card is shown on the same page as well @screens", async ({
  page,
  context,
}) => {
  await interceptStripe(context)
  await page.goto(await towerUrl(page, 4))
  await choosePaymentMethod(lockedPanel(page, 4), 'Card')
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const { form } = cardForm(page)
  const field = (title: string) => form.frameLocator(`iframe[title="${title}"]`).getByRole('textbox')
  const fields = [
    [field('Secure card number input frame'), cards.asksBank],
    [field('Secure expiration date input frame'), '12 / 39'],
    [field('Secure CVC input frame'), '123'],
  ] as const
  for (const [input] of fields) await input.waitFor()
  await form.getByLabel('E-mail').fill('ada@example.com')
  await form.getByLabel('First name').fill('Ada')
  await form.getByLabel('Last name').fill('Lovelace')
  for (const [input, text] of fields) await input.fill(text)
  await form.getByRole('checkbox', { name: saveBox }).check()
  await form.getByRole('button', { name: 'Pay $0.99' }).click()
  const bank = form.frameLocator(`iframe[title="The bank's check"]`)
  await bank.getByRole('button', { name: 'Complete' }).click()
  await expectPlaying(page, 4)
  await page.goto(await towerUrl(page, 5))
  await lockedPanel(page, 5)
    .getByRole('button', { name: payButtonName('3184') })
    .click()
  await bank.getByRole('button', { name: 'Complete' }).click()
  await expectPlaying(page, 5)
})

test.describe('when the responses to a purchase and to its retry are lost', () => {
  test.use({ allowedConsoleMessages: /ERR_INTERNET_DISCONNECTED/ })

  test('the episode is requested again, and the saved card is charged once', async ({ page }) => {
    await saveCard(page)
    await page.goto(await towerUrl(page, 5))
    const responses: unknown[] = []
    await page.route('**/api/payment/order', async (route) => {
      responses.push(await (await route.fetch()).json())
      await route.abort('internetdisconnected')
    })
    await lockedPanel(page, 5)
      .getByRole('button', { name: payButtonName('4242') })
      .click()
    await expectPlaying(page, 5)
    expect(responses).toHaveLength(2)
    expect(responses[1]).toEqual(responses[0])
  })
})

test('a payment with an unknown status does not open the other payment methods @screens', async ({
  page,
}) => {
  await saveCard(page)
  await page.goto(await towerUrl(page, 5))
  const pendingOrder = { id: 'ord_unsure', status: 'pending', next: { type: 'none' } }
  const answer = { json: { code: 200, info: pendingOrder } }
  await page.route('**/api/payment/order', (route) => route.fulfill(answer))
  await page.route(/order_id=ord_unsure/, (route) => route.fulfill(answer))
  const panel = lockedPanel(page, 5)
  const button = panel.getByRole('button', { name: payButtonName('4242') })
  await expect(button).toBeVisible()
  // The test controls the clock, because the page polls the order for a minute.
  await page.clock.install()
  await button.click()
  await expect(panel.getByRole('button', { name: 'Processing…' })).toBeVisible()
  const warning = panel.getByRole('alert').filter({ hasText: 'please don’t pay again' })
  await expect
    .poll(
      async () => {
        await page.clock.runFor(2_000)
        return warning.count()
      },
      { intervals: [50] },
    )
    .toBe(1)
  await expect(panel.getByRole('button', { name: 'Other ways to pay' })).toBeVisible() // stays
  await expect(panel.getByText('How would you like to pay?')).toHaveCount(0)
})

test('a saved card is shown in the member area, and is not offered for payments after its removal there @screens', async ({
  page,
}) => {
  await saveCard(page)
  await page.goto('/my')
  const card = page.getByRole('region', { name: 'Saved card' })
  await expect(card).toContainText('Visa ending in 4242')
  await card.getByRole('button', { name: 'Remove Visa ending in 4242' }).click()
  await expect(card).toHaveCount(0)
  await page.goto(await towerUrl(page, 5))
  await expect(lockedPanel(page, 5).getByRole('button', { name: /^Pay/ })).toHaveText('Pay $0.99')
})

test.describe('the label of a saved card', () => {
  // axe is injected into the page as a script.
  test.use({ bypassCSP: true })

  test('is readable and fits in English and German, and selecting an offer moves no offer @screens', async ({
    page,
  }) => {
    await recordLayoutShifts(page)
    await saveCard(page)
    for (const language of ['en', 'dy']) {
      await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
      for (const viewport of [phone.viewport, desktop.viewport, narrowPhone, { width: 844, height: 390 }]) {
        await page.setViewportSize(viewport)
        await page.goto(await towerUrl(page, 5))
        const button = page.getByRole('button', { name: '•••• 4242' })
        await expect(button).toBeInViewport({ ratio: 1 })
        await expectAccessible(page)
        await expectNoOverflow(page)
        await expectNoLayoutShift(page)
        const offers = page.getByRole('radio', { includeHidden: true })
        const offerPositions = async () =>
          Promise.all((await offers.all()).map(async (offer) => (await offer.boundingBox())?.y))
        const before = await readStable(offerPositions)
        for (const offer of (await offers.all()).toReversed()) {
          await offer.dispatchEvent('click')
          expect(await offerPositions()).toEqual(before)
        }
      }
      await page.goto('/my')
      await expect(page.getByRole('button', { name: /4242/ })).toBeVisible()
      await expectAccessible(page)
      await expectNoOverflow(page)
    }
  })
})
