import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '@playwright/test'
import {
  readAvailableBalance,
  payTopUp,
  topUpAtPaywall,
  topUpSheet,
  unlockButton,
} from '#e2e/support/balances.ts'
import { countInputs } from '#e2e/support/count-inputs.ts'
import { expect, test, defaultSite } from '#e2e/support/fixtures.ts'
import {
  expectNoOverflow,
  expectNoLayoutShift,
  expectAccessible,
  narrowPhone,
  readStable,
  recordLayoutShifts,
} from '#e2e/support/page-quality.ts'
import { doubleClickBeforeSend } from '#e2e/support/double-click-before-send.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'
import { registerMember } from '#e2e/support/register-member.ts'
import { desktop, phone } from '#e2e/playwright.config.ts'
import {
  expectPlaying,
  lockedPanel,
  payByCard,
  skipToEnd,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

const balanceSite = { ...defaultSite, withFakeServices: false, settings: { PREPAID_BALANCE: 'on' } }

test.use({ site: balanceSite })

const card = { number: '4242 4242 4242 4242' }

test("a viewer with a balance who opens an ad's link unlocks an episode with as many taps and keys as the docs say @screens", async ({
  page,
  context,
}) => {
  await topUpAtPaywall(page, 5)
  const inputs = await countInputs(context)
  await page.goto(`${await towerUrl(page, 3)}&token=summer&fbclid=click-1`)
  await skipToEnd(page)
  const button = unlockButton(lockedPanel(page, 4))
  await expect(button).toBeVisible()
  expect(inputs, 'the locked episode appears without user input').toEqual({ taps: 0, keys: 0 })
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/payment/'))
      sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  await button.click()
  await expectPlaying(page, 4)
  expect(inputs).toEqual({ taps: 1, keys: 0 })
  expect(sent).toEqual(['POST /api/payment/order'])
  const docs = readFileSync(join(import.meta.dirname, '../../docs/payments.md'), 'utf8')
  expect(docs).toContain(`| Anybody with a balance | ${inputs.taps} | ${inputs.keys} |`)
})

test('a top-up shows its price, its expiry and its refundable part, and returns to the episode', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  await panel.getByRole('button', { name: 'Top up your balance' }).click()
  const sheet = topUpSheet(page)
  await sheet.getByText('$10.00 + $1.00 bonus', { exact: true }).click()
  for (const words of [
    'You pay $10.00 once.',
    'Money you paid never expires.',
    /The bonus of \$1\.00 (expires on|doesn’t expire)/,
    'You can cancel within 14 days and get back the money you haven’t spent, less any of the bonus you have spent.',
  ])
    await expect(sheet.getByText(words).first()).toBeVisible() // stays
  await payTopUp(page, '$10.00 + $1.00 bonus', '$10.00')
  await expect(page.getByText('$11.00 was added to your balance.')).toBeVisible()
  await expect(panel).toContainText('Your bonus covers the full price as a discount, which leaves $10.01')
  const sent = page.waitForRequest('**/api/payment/order')
  await unlockButton(panel).click()
  // The order stores these terms. They are the same for every user, so they do not say what is left of the balance.
  const { consent } = Object((await sent).postDataJSON())
  expect(consent.terms_text).toContain('Unlock for $0.99 from your balance')
  expect(consent.terms_text).not.toContain('leaves')
  await expectPlaying(page, 4)
  // One cent of the bonus is left for the next purchase.
  await page.goto(await towerUrl(page, 5))
  await expect(lockedPanel(page, 5)).toContainText(
    'Your bonus covers $0.01 as a discount, and $0.98 is taken from your balance, which leaves $9.02.',
  )
})

test('two presses buy an episode only once', async ({ page }) => {
  const panel = await topUpAtPaywall(page, 4)
  await doubleClickBeforeSend(page, unlockButton(panel), '**/api/payment/order')
  await expectPlaying(page, 4)
  expect(await readAvailableBalance(page)).toBe(401)
})

test('an episode that was bought in another tab plays, and is not charged again @screens', async ({
  page,
  context,
}) => {
  const panel = await topUpAtPaywall(page, 4)
  const other = await context.newPage()
  await other.goto(await towerUrl(other, 4))
  await unlockButton(lockedPanel(other, 4)).click()
  await expectPlaying(other, 4)
  await other.close()
  await unlockButton(panel).click()
  await expectPlaying(page, 4)
  expect(await readAvailableBalance(page)).toBe(401)
})

test('an episode can be bought from the balance without any gateway', async ({ page }) => {
  await topUpAtPaywall(page, 5)
  await page.route(/\/api\/video\/episode\?.*episode_id=/, async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { code: number; info: object }
    if (json.code !== 402) return route.fulfill({ response })
    await route.fulfill({ response, json: { ...json, info: { ...json.info, gateways: [], plans: [] } } })
  })
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  await expect(unlockButton(panel)).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Other ways to pay' })).toHaveCount(0)
  await unlockButton(panel).click()
  await expectPlaying(page, 4)
})

test('if the balance has become too low, a message says so, and another payment method pays @screens', async ({
  page,
}) => {
  const panel = await topUpAtPaywall(page, 4)
  await page.route('**/api/payment/order', (route) =>
    route.fulfill({
      json: {
        code: 409,
        message: 'Your balance is too low.',
        info: { amount_cents: 99, currency: 'USD', available_cents: 0, missing_cents: 99 },
      },
    }),
  )
  await unlockButton(panel).click()
  await expect(panel.getByRole('alert')).toContainText('Your balance is too low.')
  await page.unroute('**/api/payment/order')
  await expect(panel.getByText('How would you like to pay?')).toBeVisible()
  await panel.getByText('Card', { exact: true }).click()
  await panel.getByRole('button', { name: 'Pay $0.99', exact: true }).click()
  await payByCard(page, card)
  await expectPlaying(page, 4)
  expect(await readAvailableBalance(page)).toBe(500)
})

test('the member area shows the balance and its history, and refunds unspent money', async ({ page }) => {
  const panel = await topUpAtPaywall(page, 4, '$10.00 + $1.00 bonus', '$10.00')
  await unlockButton(panel).click()
  await expectPlaying(page, 4)
  await page.goto('/my')
  const balance = page.getByRole('region', { name: 'Balance', exact: true })
  await expect(balance).toContainText('$10.01 available')
  await expect(balance).toContainText('$10.00 paid, $0.01 bonus')
  const history = page.getByRole('region', { name: 'Balance history' }).getByRole('listitem')
  await expect(history).toHaveCount(2)
  await expect(history.first()).toContainText('Purchase: The Test Tower, episode 4')
  await expect(history.last()).toContainText('Top-up')
  await expect(page.getByRole('region', { name: 'Orders and receipts' })).toContainText('Balance top-up')
  await balance.getByRole('button', { name: 'Refund unspent money' }).click()
  await page.getByRole('button', { name: 'Refund $9.01' }).click()
  await expect(page.getByText('$9.01 is on its way back to your payment method.')).toBeVisible()
  await expect(history.filter({ hasText: 'Top-up refunded' }).filter({ hasText: '-$9.01' })).toHaveCount(1)
  await expect(history.filter({ hasText: 'Spent bonus deducted from a refund' })).toHaveCount(1)
  await expect(balance.getByRole('button', { name: 'Refund unspent money' })).toHaveCount(0)
})

test('a top-up can be bought in the member area, and the receipt of an episode names the balance as payment method @screens', async ({
  page,
}) => {
  await page.goto('/my')
  const balance = page.getByRole('region', { name: 'Balance', exact: true })
  await expect(balance).toContainText('Your balance is empty.')
  await balance.getByRole('button', { name: 'Top up your balance' }).click()
  await payTopUp(page, '$5.00', '$5.00')
  await expect(balance).toContainText('$5.00 available')
  await page.goto(await towerUrl(page, 4))
  await unlockButton(lockedPanel(page, 4)).click()
  await expectPlaying(page, 4)
  await page.goto('/my')
  await page.getByRole('link', { name: 'Receipt: The Test Tower, episode 4' }).click()
  await expect(page.getByRole('article')).toContainText('Balance')
})

test('a locked episode can be unlocked from the balance even if the balance does not load @screens', async ({
  page,
}) => {
  await topUpAtPaywall(page, 4)
  // The response never arrives.
  await page.route('**/api/balance', () => {})
  await page.goto(await towerUrl(page, 5))
  await expect(unlockButton(lockedPanel(page, 5))).toBeVisible()
})

test.describe('if the episode does not load after its payment', () => {
  test.use({ allowedConsoleMessages: /status of 502/ })

  test('a retry button is shown, and the episode is charged once', async ({ page }) => {
    const panel = await topUpAtPaywall(page, 4)
    const respondWithError = (route: Route) => route.fulfill({ status: 502, body: '' })
    await page.route('**/api/video/episode?episode_id=*', respondWithError)
    await unlockButton(panel).click()
    // The adjacent episodes show the same error.
    const onScreen = page.locator('[data-player] [role=region] > :not([inert])')
    const retry = onScreen.getByRole('alert').filter({ hasText: 'We couldn’t load this episode.' })
    await expect(retry).toBeVisible()
    await expect(unlockButton(panel)).toHaveCount(0)
    await page.unroute('**/api/video/episode?episode_id=*', respondWithError)
    await retry.getByRole('button', { name: 'Try again' }).click()
    await expectPlaying(page, 4)
    expect(await readAvailableBalance(page)).toBe(401)
  })
})

test('the deletion of an account with paid money offers a refund first, and succeeds after the refund @screens', async ({
  page,
}) => {
  await page.goto('/')
  const { password } = await registerMember(page)
  const panel = await topUpAtPaywall(page, 4, '$10.00 + $1.00 bonus', '$10.00')
  await unlockButton(panel).click()
  await expectPlaying(page, 4)
  await page.goto('/individual')
  await page.getByRole('button', { name: 'Delete… Delete your account' }).click()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('I understand that this is permanent.').check()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  const balanceGroup = page.getByRole('group', { name: 'Balance' })
  await expect(balanceGroup).toContainText('You still have $10.00 in your balance.')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(balanceGroup.getByText('tick this box to give it up')).toBeVisible()
  await balanceGroup.getByRole('button', { name: 'Refund $9.01' }).click()
  await expect(balanceGroup).toHaveCount(0)
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByRole('heading', { name: 'Everything was deleted' })).toBeVisible()
})

test('an account with paid money can be deleted after the member confirms giving up the money @screens', async ({
  page,
}) => {
  await page.goto('/')
  const { password } = await registerMember(page)
  await topUpAtPaywall(page, 4)
  await page.goto('/individual')
  await page.getByRole('button', { name: 'Delete… Delete your account' }).click()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('I understand that this is permanent.').check()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByLabel('Delete the account anyway and give up $5.00.').check()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByRole('heading', { name: 'Everything was deleted' })).toBeVisible()
})

test('to delete a customer with paid money, support must confirm that the customer gives up the money @screens', async ({
  page,
}) => {
  await page.goto('/')
  await registerMember(page)
  await topUpAtPaywall(page, 4)
  const { info } = (await (await page.request.get('/api/user')).json()) as { info: { id: string } }
  await openStudioWithSession(page, 'support')
  await page.goto(`/studio/customers/${info.id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this customer?' })
  await dialog.getByLabel('Reason').fill('asked by mail')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toContainText('Their balance still contains $5.00 of paid money.')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog.getByText('Refund the money first, or tick this box.')).toBeVisible()
  await dialog.getByLabel('They give up $5.00').check()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0)
})

test('an account with a pending refund is not deleted, and the page says so @screens', async ({ page }) => {
  await page.goto('/')
  const { password } = await registerMember(page)
  const message = 'A refund of your balance is still being processed.'
  await page.route('**/api/user', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ json: { code: 409, message } })
      : route.fallback(),
  )
  await page.goto('/individual')
  await page.getByRole('button', { name: 'Delete… Delete your account' }).click()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('I understand that this is permanent.').check()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText(message)).toBeVisible()
  await expect(page.getByRole('group', { name: 'Balance' })).toHaveCount(0)
})

test.describe('the screens of the balance', () => {
  // axe is injected into the page as a script.
  test.use({ bypassCSP: true })

  test('are readable and fit in English and German, and selecting an offer moves no offer @screens', async ({
    page,
  }) => {
    await recordLayoutShifts(page)
    await page.setViewportSize(narrowPhone)
    await page.goto(await towerUrl(page, 4))
    for (const name of ['Pay $0.99', 'Top up your balance'])
      await expect(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })
    await expectNoOverflow(page)
    await topUpAtPaywall(page, 4)
    for (const language of ['en', 'dy']) {
      await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
      for (const viewport of [phone.viewport, desktop.viewport, narrowPhone, { width: 844, height: 390 }]) {
        await page.setViewportSize(viewport)
        await page.goto(await towerUrl(page, 5))
        const button = page.getByRole('button', { name: /^Mit Guthaben freischalten|from your balance$/ })
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
      await expect(page.getByRole('heading', { name: /Guthabenverlauf|Balance history/ })).toBeVisible()
      await expectAccessible(page)
      await expectNoOverflow(page)
      await page.getByRole('button', { name: /Guthaben aufladen|Top up your balance/ }).click()
      await expect(page.getByRole('dialog').getByRole('radio').first()).toBeAttached()
      const pay = page.getByRole('dialog').getByRole('button', { name: /bezahlen$|^Pay/ })
      await expect(pay).toBeInViewport({ ratio: 1 })
      await expectAccessible(page)
      await expectNoOverflow(page)
    }
  })
})

test.describe('a site without balances', () => {
  test.use({ site: { ...balanceSite, settings: {} } })

  test('shows no balances @screens', async ({ page }) => {
    await page.goto(await towerUrl(page, 4))
    await expect(lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99', exact: true })).toBeVisible()
    await expect(page.getByText(/balance/i)).toHaveCount(0)
    await page.goto('/my')
    await expect(page.getByRole('heading', { name: 'Orders and receipts' })).toBeVisible()
    await expect(page.getByText(/balance/i)).toHaveCount(0)
  })

  test('shows existing balances, offers to refund them, and sells no top-ups @screens', async ({ page }) => {
    const balance = {
      currency: 'USD',
      available_cents: 410,
      paid_cents: 401,
      bonus_cents: 9,
      refundable_cents: 310,
    }
    const info = { enabled: false, balances: [balance], top_ups: [], gateways: [], auto_unlocks: [] }
    await page.route('**/api/balance', (route) => route.fulfill({ json: { code: 200, info } }))
    const data = { list: [], next_cursor: null }
    await page.route('**/api/balance/entries*', (route) => route.fulfill({ json: { code: 200, data } }))
    await page.goto('/my')
    const balanceRegion = page.getByRole('region', { name: 'Balance', exact: true })
    await expect(balanceRegion).toContainText('$4.10 available')
    await expect(balanceRegion).toContainText('You can’t top up or spend your balance right now.')
    await expect(balanceRegion.getByRole('button')).toHaveText(['Refund unspent money'])
  })
})
