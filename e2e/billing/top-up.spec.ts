import type { Locator, Page } from '@playwright/test'
import { readAvailableBalance, topUpSheet, unlockButton } from '#e2e/support/balances.ts'
import { expect, test, defaultSite } from '#e2e/support/fixtures.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { doubleClickBeforeSend } from '#e2e/support/double-click-before-send.ts'
import { interceptStripe } from '#e2e/fakes/intercept-stripe.ts'
import {
  randomEmail,
  cardForm,
  choosePaymentMethod,
  expectPlaying,
  lockedPanel,
  payByCard,
  sandboxSheet,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

test.use({ site: { ...defaultSite, settings: { PREPAID_BALANCE: 'on' } } })

const number = '4242 4242 4242 4242'
const bonusOffer = '$10.00 + $1.00 bonus'

/** Opens the top-ups from a locked episode, and selects one with a bonus. */
async function openTopUps(page: Page, episode: number): Promise<Locator> {
  await page.goto(await towerUrl(page, episode))
  await lockedPanel(page, episode).getByRole('button', { name: 'Top up your balance' }).click()
  const sheet = topUpSheet(page)
  await sheet.getByText(bonusOffer, { exact: true }).click()
  return sheet
}

/** Checks that the money and its bonus have arrived, and that one press buys the episode with them. */
async function expectSpendable(page: Page, episode: number): Promise<void> {
  await expect(topUpSheet(page)).toHaveCount(0)
  await unlockButton(lockedPanel(page, episode)).click()
  await expectPlaying(page, episode)
  expect(await readAvailableBalance(page)).toBe(1100 - 99)
}

test('an express wallet tops up without a form @screens', async ({ page }) => {
  await openTopUps(page, 4)
  const frame = page.frameLocator('dialog iframe[title="Wallet"]')
  await frame.getByRole('button', { name: 'Sandbox Pay' }).click()
  const approve = sandboxSheet(frame).getByRole('button', { name: 'Pay $10.00' })
  await doubleClickBeforeSend(page, approve, '**/sandbox/tokens')
  await expectSpendable(page, 4)
})

test('a saved card tops up once, however often the button is pressed', async ({ page }) => {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await cardForm(page).form.getByRole('checkbox', { name: 'Save this card for future purchases' }).check()
  await payByCard(page, { number })
  await expectPlaying(page, 4)
  const sheet = await openTopUps(page, 5)
  await doubleClickBeforeSend(
    page,
    sheet.getByRole('button', { name: 'Pay $10.00 with •••• 4242' }),
    '**/api/payment/order',
  )
  await expectSpendable(page, 5)
})

test('PayPal tops up and leads back to the locked episode, and the balance pays for the episode', async ({
  page,
}) => {
  const sheet = await openTopUps(page, 5)
  await choosePaymentMethod(sheet, 'PayPal')
  await sheet.getByRole('button', { name: 'Pay $10.00' }).click()
  const { form } = cardForm(page)
  await form.getByLabel('E-mail').fill(randomEmail())
  await form.getByRole('button', { name: 'Continue to pay $10.00' }).click()
  await page.getByRole('button', { name: 'Pay now' }).click()
  await expect(page).toHaveURL(/\/videos\/.*episode=5/)
  await expectSpendable(page, 5)
})

test('if the bonus has changed, nothing is charged and the form shows the new bonus; another press pays and credits this bonus @screens', async ({
  page,
}) => {
  const sheet = await openTopUps(page, 4)
  await sheet.getByRole('button', { name: 'Pay $10.00' }).click()
  const { form, card } = cardForm(page)
  await expect(form.getByText(bonusOffer)).toBeVisible()
  const change = (cents: string) =>
    currentSite().server.studio('top-up', 'change', 'top_10', '--bonus_cents', cents)
  await change('200')
  await payByCard(page, { number })
  await expect(form.getByRole('alert')).toContainText('price has changed')
  await expect(form.getByText('$10.00 + $2.00 bonus')).toBeVisible()
  expect(await readAvailableBalance(page)).toBe(0)
  await card.getByLabel('CVV').fill('123')
  await form.getByRole('button', { name: 'Pay $10.00' }).click()
  await expect(sheet).toHaveCount(0)
  await expect.poll(() => readAvailableBalance(page)).toBe(1200)
  await change('100')
})

test.describe('Stripe', () => {
  test('tops up by a card in its fields @screens', async ({ page, context }) => {
    const stripeRequests = await interceptStripe(context)
    const sheet = await openTopUps(page, 4)
    await choosePaymentMethod(sheet, 'Card')
    await sheet.getByRole('button', { name: 'Pay $10.00' }).click()
    const { form } = cardForm(page)
    const field = (title: string) => form.frameLocator(`iframe[title="${title}"]`).getByRole('textbox')
    const fields = [
      [field('Secure card number input frame'), number],
      [field('Secure expiration date input frame'), '12 / 39'],
      [field('Secure CVC input frame'), '123'],
    ] as const
    // The browser may lose input that is typed while the frames load.
    for (const [input] of fields) await input.waitFor()
    await form.getByLabel('E-mail').fill(randomEmail())
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('Last name').fill('Lovelace')
    for (const [input, text] of fields) await input.fill(text)
    await form.getByRole('button', { name: 'Pay $10.00' }).click()
    await expectSpendable(page, 4)
    expect(stripeRequests.confirmed).toBe(1)
  })

  test('tops up by an express wallet @screens', async ({ page, context }) => {
    const stripeRequests = await interceptStripe(context)
    const sheet = await openTopUps(page, 4)
    await choosePaymentMethod(sheet, 'Card')
    const frame = page.frameLocator('dialog iframe[title="Wallet"]')
    await frame.getByRole('button', { name: 'Google Pay' }).click()
    const wallet = frame.getByRole('dialog', { name: 'Google Pay' })
    await expect(wallet).toContainText('1000 usd')
    await wallet.getByRole('button', { name: 'Approve' }).click()
    await expectSpendable(page, 4)
    expect(stripeRequests.confirmed).toBe(1)
  })
})
