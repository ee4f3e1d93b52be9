import type { FrameLocator, Locator, Page } from '@playwright/test'
import { doubleClickBeforeSend } from '#e2e/support/double-click-before-send.ts'
import { expect, test, defaultSite } from '#e2e/support/fixtures.ts'
import {
  expectNoOverflow,
  expectNoLayoutShift,
  expectAccessible,
  narrowPhone,
  recordLayoutShifts,
} from '#e2e/support/page-quality.ts'
import { desktop, phone } from '#e2e/playwright.config.ts'
import { interceptStripe } from '#e2e/fakes/intercept-stripe.ts'
import {
  expressFrame,
  sandboxSheet,
  cardForm,
  choosePaymentMethod,
  expectPlaying,
  lockedPanel,
  payByCard,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

const renewal = /every 30 days until you cancel/

/** Selects the monthly plan in the panel. */
async function chooseMonthly(panel: Locator): Promise<void> {
  await panel.getByText('Monthly', { exact: false }).first().click()
  await expect(panel.getByText(renewal).last()).toBeVisible()
}

const cards = {
  pays: '4242424242424242',
  declined: '4000000000000002',
  asksBank: '4000002760003184',
}

/** Opens the sandbox's sheet from a locked episode. */
async function openSheet(page: Page, episode: number): Promise<FrameLocator> {
  await page.goto(await towerUrl(page, episode))
  await expressFrame(page).getByRole('button', { name: 'Sandbox Pay' }).click()
  const sheet = sandboxSheet(expressFrame(page))
  await expect(sheet.getByRole('button', { name: 'Pay $0.99' })).toBeFocused()
  return sheet
}

/** Records the created orders and their response codes. */
function watchOrders(page: Page): { body: Record<string, unknown>; code: Promise<number> }[] {
  const orders: ReturnType<typeof watchOrders> = []
  page.on('request', (request) => {
    if (!request.url().endsWith('/api/payment/order')) return
    const code = request.response().then(async (response) => Number((await response?.json())?.code))
    orders.push({ body: request.postDataJSON(), code })
  })
  return orders
}

test('an express wallet pays the amount shown in its sheet, and the order has the e-mail address of the wallet', async ({
  page,
}) => {
  const orders = watchOrders(page)
  const sheet = await openSheet(page, 4)
  await expect(sheet.getByText('Cliffhanger')).toBeVisible()
  const address = await sheet.getByText(/@example\.com/).textContent()
  await doubleClickBeforeSend(page, sheet.getByRole('button', { name: 'Pay $0.99' }), '**/sandbox/tokens')
  await expectPlaying(page, 4)
  expect(orders.map(({ body }) => [body['email'], body['amount_cents'], body['method']])).toEqual([
    [address, 99, 'card'],
  ])
})

test('the terms of a plan are shown in the panel and in the sheet, and are sent with the order @screens', async ({
  page,
}) => {
  const orders = watchOrders(page)
  await page.goto(await towerUrl(page, 4))
  await chooseMonthly(lockedPanel(page, 4))
  const wallet = expressFrame(page).getByRole('button', { name: 'Sandbox Pay' })
  // Waits for the wallet's frame, because the panel posts the choice to the frame as a message.
  await expect(wallet).toHaveAccessibleDescription(renewal)
  await wallet.click()
  const sheet = sandboxSheet(expressFrame(page))
  await expect(sheet.getByText(renewal)).toBeVisible()
  await sheet.getByRole('button', { name: /^Pay/ }).click()
  await expectPlaying(page, 4)
  const body = orders[0]?.body
  expect(body).toMatchObject({ kind: 'plan', consent: { immediate_delivery: false } })
  const { terms_text: termsText } = Object(body?.['consent'])
  expect(termsText).toMatch(renewal)
  expect(termsText).toMatch(/14 days/)
})

test('the wallet sells the offer that was chosen before the wallet’s script had loaded @screens', async ({
  page,
}) => {
  const script = Promise.withResolvers<void>()
  const file = '**/sandbox-wallet-*.js'
  await page.route(file, async (route) => {
    await script.promise
    await route.continue()
  })
  const scriptRequest = page.waitForRequest(file)
  await page.goto(await towerUrl(page, 4))
  await scriptRequest
  await chooseMonthly(lockedPanel(page, 4))
  // The frame has received the choice when it has painted again.
  await expressFrame(page)
    .locator('main')
    .evaluate(() => new Promise(requestAnimationFrame))
  script.resolve()
  await expect(expressFrame(page).getByRole('button', { name: 'Sandbox Pay' })).toHaveAccessibleDescription(
    renewal,
  )
})

test('the sheet closes by its button, by Escape and by the back button, and no order is created @screens', async ({
  page,
}) => {
  const orders = watchOrders(page)
  const closeActions = [
    (sheet: FrameLocator) => sheet.getByRole('button', { name: 'Cancel' }).click(),
    () => page.keyboard.press('Escape'),
    () => page.goBack(),
  ]
  for (const close of closeActions) {
    const sheet = await openSheet(page, 4)
    await close(sheet)
    await expect(sheet.getByRole('button', { name: 'Cancel' })).toHaveCount(0)
    await expect(lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' })).toBeVisible() // stays
    await expect(page).toHaveURL(/episode=4/)
  }
  expect(orders).toEqual([])
})

test('if the card in the wallet is declined, the panel shows the reason, and another press with another card pays @screens', async ({
  page,
}) => {
  const sheet = await openSheet(page, 4)
  await sheet.getByLabel('Card').selectOption(cards.declined)
  await sheet.getByRole('button', { name: 'Pay $0.99' }).click()
  await expect(lockedPanel(page, 4).getByRole('alert')).toContainText('declined')
  await expressFrame(page).getByRole('button', { name: 'Sandbox Pay' }).click()
  await sheet.getByRole('button', { name: 'Pay $0.99' }).click()
  await expectPlaying(page, 4)
})

test("a failed 3-D Secure check of a wallet's card shows a message, and the episode plays after a successful check @screens", async ({
  page,
}) => {
  const sheet = await openSheet(page, 4)
  const bank = expressFrame(page).frameLocator('iframe[title="Bank verification"]')
  const approve = async () => {
    await sheet.getByLabel('Card').selectOption(cards.asksBank)
    await sheet.getByRole('button', { name: 'Pay $0.99' }).click()
  }
  await approve()
  await bank.getByRole('button', { name: 'Reject' }).click()
  await expect(lockedPanel(page, 4).getByRole('alert')).toContainText('didn’t confirm')
  await expressFrame(page).getByRole('button', { name: 'Sandbox Pay' }).click()
  await approve()
  await bank.getByRole('button', { name: 'Confirm' }).click()
  await expectPlaying(page, 4)
})

test.describe('if the connection is lost', () => {
  test.use({ allowedConsoleMessages: /ERR_INTERNET_DISCONNECTED/ })

  test('during the approval, the sheet shows a message, and another press pays @screens', async ({
    page,
  }) => {
    const sheet = await openSheet(page, 4)
    let tokenRequests = 0
    await page.route('**/sandbox/tokens', (route) =>
      tokenRequests++ === 0 ? route.abort('internetdisconnected') : route.fallback(),
    )
    const pay = sheet.getByRole('button', { name: 'Pay $0.99' })
    await pay.click()
    await expect(sheet.getByRole('alert')).toContainText('couldn’t check the card')
    await pay.click()
    await expectPlaying(page, 4)
  })

  test('after the payment, the order is read again and the episode plays @screens', async ({ page }) => {
    const sheet = await openSheet(page, 5)
    const paid: unknown[] = []
    await page.route('**/api/payment/pay', async (route) => {
      paid.push(await (await route.fetch()).json())
      await route.abort('internetdisconnected')
    })
    await sheet.getByRole('button', { name: 'Pay $0.99' }).click()
    await expectPlaying(page, 5)
    expect(paid).toHaveLength(1)
  })

  test('before the response to the order, a message warns against paying twice, and another press sends the same idempotency key', async ({
    page,
  }) => {
    const keys: (string | undefined)[] = []
    let isResponseLost = true
    await page.route('**/api/payment/order', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (!isResponseLost) return route.continue()
      isResponseLost = false
      await route.fetch()
      return route.abort('internetdisconnected')
    })
    const sheet = await openSheet(page, 6)
    await sheet.getByRole('button', { name: 'Pay $0.99' }).click()
    await expect(lockedPanel(page, 6).getByRole('alert')).toContainText('don’t pay again')
    await expressFrame(page).getByRole('button', { name: 'Sandbox Pay' }).click()
    await sheet.getByRole('button', { name: 'Pay $0.99' }).click()
    await expectPlaying(page, 6)
    expect(keys[1]).toBe(keys[0])
  })
})

test('if the price changes while the sheet is open, nothing is charged and the change is shown @screens', async ({
  page,
}) => {
  const sheet = await openSheet(page, 4)
  const paid: string[] = []
  page.on('request', (request) => request.url().endsWith('/payment/pay') && paid.push(request.url()))
  await page.route('**/api/payment/order', (route) =>
    route.continue({ postData: { ...route.request().postDataJSON(), amount_cents: 89 } }),
  )
  await sheet.getByRole('button', { name: 'Pay $0.99' }).click()
  await expect(lockedPanel(page, 4).getByRole('alert')).toContainText('price has changed')
  expect(paid).toEqual([])
})

test('if the wallet’s e-mail address has already used the introductory price, the regular price is shown before the payment @screens', async ({
  page,
  browser,
}) => {
  const wallet = (viewerPage: Page) => expressFrame(viewerPage).getByRole('button', { name: 'Sandbox Pay' })
  const subscribe = async (viewerPage: Page) => {
    await viewerPage.goto(await towerUrl(viewerPage, 4))
    await lockedPanel(viewerPage, 4).getByText('Weekly').first().click()
    // The panel posts the choice to the wallet's frame as a message.
    await expect(wallet(viewerPage)).toHaveAccessibleDescription(/\$4\.99 for the first 7 days/)
    await wallet(viewerPage).click()
    await sandboxSheet(expressFrame(viewerPage)).getByRole('button', { name: /^Pay/ }).click()
  }
  await subscribe(page)
  await expectPlaying(page, 4)
  const address = await page.evaluate(() => localStorage.getItem('sandbox_wallet') ?? '')
  const other = await browser.newContext(phone)
  await other.addInitScript((owner) => {
    if (location.protocol.startsWith('http')) localStorage.setItem('sandbox_wallet', owner)
  }, address)
  const otherPage = await other.newPage()
  await subscribe(otherPage)
  const panel = lockedPanel(otherPage, 4)
  await expect(panel.getByRole('alert')).toContainText('price has changed')
  await expect(panel.getByRole('button', { name: 'Subscribe for $9.99' })).toBeVisible()
  await expect(wallet(otherPage)).not.toHaveAccessibleDescription(/\$4\.99/)
  await wallet(otherPage).click()
  await sandboxSheet(expressFrame(otherPage)).getByRole('button', { name: 'Pay $9.99' }).click()
  await expectPlaying(otherPage, 4)
  await other.close()
})

test.describe('a browser without a wallet', () => {
  // On a site with two gateways, the wallet of the other gateway would replace the sandbox's.
  test.use({ site: { ...defaultSite, withFakeServices: false } })

  test('shows no button, causes no layout shift, and reserves no space on the next visit @screens', async ({
    page,
  }) => {
    await page.addInitScript(() => localStorage.setItem('sandbox_wallet', 'none'))
    await recordLayoutShifts(page)
    await page.goto(await towerUrl(page, 4))
    const panel = lockedPanel(page, 4)
    const pay = panel.getByRole('button', { name: 'Pay $0.99' })
    await expect(pay).toBeVisible()
    const frame = panel.getByTitle('Wallet')
    await expect(frame).toBeHidden()
    await expectNoLayoutShift(page)
    await page.reload()
    await expect(pay).toBeVisible()
    await expect(frame).toHaveCount(0)
    await pay.click()
    await payByCard(page, { number: cards.pays })
    await expectPlaying(page, 4)
  })
})

test('the card form shows the wallet above its fields, and the wallet pays there too @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const { form } = cardForm(page)
  await form.getByRole('button', { name: 'Sandbox Pay' }).click()
  await sandboxSheet(form).getByRole('button', { name: 'Pay $0.99' }).click()
  await expectPlaying(page, 4)
})

test.describe("Stripe's Express Checkout Element", () => {
  // The browser logs Stripe's response to a declined card.
  test.use({ allowedConsoleMessages: /status of 402/ })

  /** Chooses Stripe's cards, so that Stripe's wallet replaces the sandbox's, and opens the wallet's sheet. */
  async function openStripeSheet(page: Page, episode: number) {
    await page.goto(await towerUrl(page, episode))
    await choosePaymentMethod(lockedPanel(page, episode), 'Card')
    const frame = expressFrame(page)
    await frame.getByRole('button', { name: 'Google Pay' }).click()
    return { frame, sheet: frame.getByRole('dialog', { name: 'Google Pay' }) }
  }

  test('creates the order only after the approval in the sheet, and plays the episode @screens', async ({
    page,
    context,
  }) => {
    const stripeRequests = await interceptStripe(context)
    const orders = watchOrders(page)
    const { sheet } = await openStripeSheet(page, 4)
    await expect(sheet).toContainText('99 usd')
    expect(orders).toEqual([])
    await sheet.getByRole('button', { name: 'Approve' }).click()
    await expectPlaying(page, 4)
    expect(stripeRequests.confirmed).toBe(1)
    expect(orders.map(({ body }) => body['gateway'])).toEqual(['stripe'])
  })

  test('saves the card for the renewals of a plan @screens', async ({ page, context }) => {
    await interceptStripe(context)
    const orders = watchOrders(page)
    await page.goto(await towerUrl(page, 5))
    const panel = lockedPanel(page, 5)
    // Chooses the plan before Stripe's frame loads, so that the frame begins with the plan.
    await chooseMonthly(panel)
    await choosePaymentMethod(panel, 'Card')
    const frame = expressFrame(page)
    await frame.getByRole('button', { name: 'Google Pay' }).click()
    const sheet = frame.getByRole('dialog', { name: 'Google Pay' })
    await expect(sheet).toContainText('2499 usd')
    await sheet.getByRole('button', { name: 'Approve' }).click()
    await expectPlaying(page, 5)
    expect(orders.map(({ body }) => [body['kind'], body['gateway']])).toEqual([['plan', 'stripe']])
  })

  test('pays after a declined card, a cancelled sheet and a 3-D Secure check', async ({ page, context }) => {
    await interceptStripe(context)
    const { frame, sheet } = await openStripeSheet(page, 6)
    const open = () => frame.getByRole('button', { name: 'Google Pay' }).click()
    const approve = async (card: string) => {
      await sheet.getByLabel('Card').selectOption(card)
      await sheet.getByRole('button', { name: 'Approve' }).click()
    }
    await approve(cards.declined)
    await expect(lockedPanel(page, 6).getByRole('alert')).toContainText('declined')
    await open()
    await sheet.getByRole('button', { name: 'Cancel' }).click()
    await open()
    await approve(cards.asksBank)
    const bank = frame.frameLocator(`iframe[title="The bank's check"]`)
    await bank.getByRole('button', { name: 'Complete' }).click()
    await expectPlaying(page, 6)
  })

  test('shows no button if the browser has none of the wallets @screens', async ({ page, context }) => {
    await interceptStripe(context)
    await page.addInitScript(() => localStorage.setItem('stripe_wallet', 'none'))
    await page.goto(await towerUrl(page, 4))
    const panel = lockedPanel(page, 4)
    await choosePaymentMethod(panel, 'Card')
    await expect(panel.getByTitle('Wallet')).toBeHidden()
    await panel.getByRole('button', { name: 'Pay $0.99' }).click()
    const { form } = cardForm(page)
    await form.getByLabel('E-mail').waitFor()
    await expect(form.getByRole('button', { name: 'Google Pay' })).toHaveCount(0)
  })
})

test.describe('the panel with an express wallet, and the sheet of the wallet', () => {
  // axe is injected into the page as a script.
  test.use({ bypassCSP: true })

  test('are readable and fit in English and German, and nothing moves @screens', async ({ page }) => {
    await recordLayoutShifts(page)
    await page.goto('/')
    for (const language of ['en', 'dy']) {
      await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
      for (const viewport of [phone.viewport, desktop.viewport, narrowPhone, { width: 844, height: 390 }]) {
        await page.setViewportSize(viewport)
        await page.goto(await towerUrl(page, 4))
        const button = expressFrame(page).getByRole('button', { name: 'Sandbox Pay' })
        await expect(button).toBeVisible()
        await expectAccessible(page)
        await expectNoOverflow(page)
        await expectNoLayoutShift(page)
        await button.click()
        const sheet = sandboxSheet(expressFrame(page))
        await expect(sheet.locator('#confirm')).toBeInViewport({ ratio: 1 })
        await expectAccessible(page)
        await expectNoOverflow(page)
        await page.keyboard.press('Escape')
        await expect(button).toBeFocused()
      }
    }
  })
})
