import { expect, test } from '#e2e/support/fixtures.ts'
import {
  bankFrame,
  cardForm,
  expectProgress,
  expectPlaying,
  lockedPanel,
  payByCard,
  payByWallet,
  swipeUp,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

const cards = {
  pays: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  asksBank: '4000 0000 0000 3220',
  noFunds: '4000 0000 0000 9995',
}

test('a visitor reaches a locked episode, pays after a declined card, and continues on the same page @sizes', async ({
  page,
  browser,
  isMobile,
}) => {
  await page.goto('/')
  await page
    .getByRole('link', { name: /The Test Tower/ })
    .last()
    .click()
  await page.evaluate(() => Object.assign(window, { samePage: true }))
  await expect(page).toHaveURL(/\/videos\/vid_/)
  await expectProgress(page)
  for (const number of [2, 3]) {
    await swipeUp(page, isMobile)
    await expectPlaying(page, number)
  }

  await swipeUp(page, isMobile)
  const panel = lockedPanel(page, 4)
  await expect(panel).toBeVisible()
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: cards.declined })
  await expect(cardForm(page).form.getByRole('alert')).toContainText('declined')
  await payByCard(page, { number: cards.pays })
  await expectPlaying(page, 4)
  expect(await page.evaluate(() => 'samePage' in window)).toBe(true)

  await page.reload()
  await expectPlaying(page, 4)

  const otherContext = await browser.newContext()
  const otherPage = await otherContext.newPage()
  await otherPage.goto(page.url())
  await expect(lockedPanel(otherPage, 4)).toBeVisible()
  await otherContext.close()
})

test('after a card with insufficient funds, another card passes 3-D Secure and unlocks the whole drama', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 5))
  const panel = lockedPanel(page, 5)
  await panel.getByText('Full series').click()
  await panel.getByRole('button', { name: 'Pay $9.99' }).click()
  await payByCard(page, { number: cards.noFunds })
  await expect(cardForm(page).form.getByRole('alert')).toContainText('Insufficient funds')
  await payByCard(page, { number: cards.asksBank })
  await bankFrame(page).getByRole('button', { name: 'Confirm' }).click()
  await expectPlaying(page, 5)
  await page.keyboard.press('n')
  await expectPlaying(page, 6)
})

test('after a failed 3-D Secure check, a message is shown, and another card pays @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: cards.asksBank })
  await bankFrame(page).getByRole('button', { name: 'Reject' }).click()
  await expect(cardForm(page).form.getByRole('alert')).toContainText('didn’t confirm')
  await payByCard(page, { number: cards.pays })
  await expectPlaying(page, 4)
})

test('a plan unlocks every episode @desktop', async ({ page }) => {
  await page.goto(await towerUrl(page, 6))
  const panel = lockedPanel(page, 6)
  await panel.getByText('Weekly').click()
  await expect(panel).toContainText('$4.99 for the first 7 days, then $9.99 every 7 days until you cancel') // stays
  await panel.getByRole('button', { name: 'Subscribe for $4.99' }).click()
  await payByCard(page, { number: cards.pays })
  await expectPlaying(page, 6)
})

test('a wallet payment is approved on another page and returns to the episode @desktop @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  await payByWallet(page, panel)
  await page.getByRole('button', { name: 'Approve' }).click()
  await expectPlaying(page, 4)
})

test('a subscriber cancels with one click, sees the end date, and resumes', async ({ page }) => {
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await payByCard(page, { number: cards.pays })
  const subscription = page.getByRole('region', { name: 'Your subscription' })
  await expect(subscription).toContainText(/Weekly renews on [A-Z][a-z]+ \d+, \d{4}\./)
  await subscription.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(subscription).toContainText(/watch every episode until [A-Z][a-z]+ \d+, \d{4} and/)
  await page.reload()
  await subscription.getByRole('button', { name: 'Resume subscription' }).click()
  await expect(subscription).toContainText('Weekly renews on')
})

test('a plan is charged with the chosen payment method @desktop @screens', async ({ page }) => {
  await page.goto('/shopping')
  await page.getByRole('group', { name: 'How would you like to pay?' }).getByText('Wallet').click()
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  const { form } = cardForm(page)
  await form.getByLabel('E-mail').fill(`ada-${crypto.randomUUID().slice(0, 8)}@example.com`)
  await form.getByRole('button', { name: 'Continue to pay $4.99' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page).toHaveURL(/\/shopping$/)
  await expect(page.getByRole('region', { name: 'Your subscription' })).toContainText('Weekly renews on')
})
