import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, test } from '#e2e/support/fixtures.ts'
import { narrowPhone, overlap, readStable } from '#e2e/support/page-quality.ts'
import { phone, desktop } from '#e2e/playwright.config.ts'
import { registerMember } from '#e2e/support/register-member.ts'
import {
  randomEmail,
  cardForm,
  expectPlaying,
  expressFrame,
  lockedPanel,
  payByCard,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

const pays = '4242 4242 4242 4242'

/** Returns the lowest contrast between an element's text colour and the pixels behind the element. */
async function contrastOf(page: Page, element: Locator): Promise<number> {
  const text = await element.evaluate((shown) => getComputedStyle(shown).color.match(/\d+/g)?.map(Number))
  const clip = await element.boundingBox()
  if (!text || !clip) throw new Error(`${String(element)} is not visible`)
  const setOpacity = (opacity: string) =>
    element.evaluate((shown: HTMLElement, chosen) => (shown.style.opacity = chosen), opacity)
  await setOpacity('0')
  const { channels } = await sharp(await page.screenshot({ clip }))
    .removeAlpha()
    .stats()
  await setOpacity('')
  return (luminance(text) + 0.05) / (luminance(channels.map(({ max }) => max)) + 0.05)
}

/** Returns the relative luminance of an sRGB colour, as WCAG defines it. */
function luminance(colour: number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

async function openCardForm(page: Page, episode: number): Promise<void> {
  await page.goto(await towerUrl(page, episode))
  await lockedPanel(page, episode).getByRole('button', { name: 'Pay $0.99' }).click()
}

test("the card form remembers the buyer's details, and shows them to no other user @screens", async ({
  page,
}) => {
  const email = randomEmail()
  await openCardForm(page, 4)
  await payByCard(page, { number: pays, email })
  await expectPlaying(page, 4)
  await openCardForm(page, 5)
  const { form } = cardForm(page)
  await expect(form.getByLabel('E-mail')).toHaveValue(email)
  await expect(form.getByLabel('First name')).toHaveValue('Ada')
  await expect(form.getByLabel('Last name')).toHaveValue('Lovelace')
  const userId = () => page.evaluate(() => localStorage.getItem('user_id'))
  const previousUserId = await userId()
  await page.context().clearCookies()
  await page.goto('/')
  await expect.poll(userId, 'the site has a new user').not.toBe(previousUserId)
  await openCardForm(page, 5)
  await expect(form.getByLabel('First name')).toHaveValue('')
})

test('a member who paid on another device signs in from the paywall and continues watching', async ({
  page,
  browser,
}) => {
  const email = randomEmail()
  await page.goto('/')
  const { password } = await registerMember(page, { email })
  await openCardForm(page, 4)
  await expect(cardForm(page).form.getByLabel('E-mail')).toHaveValue(email)
  await payByCard(page, { number: pays, email })
  await expectPlaying(page, 4)
  await expect(page.getByRole('link', { name: /Already paid/ })).toHaveCount(0)

  const context = await browser.newContext(phone)
  const otherDevice = await context.newPage()
  await otherDevice.goto(await towerUrl(otherDevice, 4))
  await lockedPanel(otherDevice, 4).getByRole('link', { name: 'Already paid? Sign in' }).click()
  await otherDevice.getByLabel('E-mail').fill(email)
  await otherDevice.getByLabel('Password').fill(password)
  await otherDevice.locator('main').getByRole('button', { name: 'Sign in' }).click()
  await expectPlaying(otherDevice, 4)
  await context.close()
})

test('choosing another offer moves no offer, and the button that shows and hides the payment methods keeps its place @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  const offers = panel.getByRole('group', { name: 'Choose how to watch' }).getByRole('radio')
  const offerPositions = async () =>
    Promise.all((await offers.all()).map(async (offer) => (await offer.boundingBox())?.y))
  for (const viewport of [phone.viewport, desktop.viewport]) {
    await page.setViewportSize(viewport)
    await expect(panel).toBeVisible() // stays
    const before = await readStable(offerPositions)
    for (const name of [/^Weekly/, /^Yearly/, /^This episode/]) {
      await panel.getByText(name).first().click()
      await expect(panel.getByRole('radio', { name })).toBeChecked()
      expect(await offerPositions()).toEqual(before)
    }
  }
  for (const viewport of [narrowPhone, { width: 844, height: 390 }, { width: 720, height: 450 }]) {
    await page.setViewportSize(viewport)
    const others = panel.getByRole('button', { name: 'Other ways to pay' })
    const pay = panel.getByRole('button', { name: 'Pay $0.99', exact: true })
    for (const button of [others, pay]) await expect(button).toBeInViewport({ ratio: 1 })
    const buttonPosition = () => others.boundingBox()
    const before = await readStable(buttonPosition)
    await others.click()
    // The button has not moved, so an immediate second press hits it.
    expect(await buttonPosition()).toEqual(before)
    const methods = panel.getByRole('group', { name: 'How would you like to pay?' })
    for (const element of [methods, pay]) await expect(element).toBeInViewport({ ratio: 1 })
    await others.click()
    await expect(methods).toHaveCount(0)
  }
})

test('a button on the paywall opens the list of episodes, and covers no text @screens', async ({ page }) => {
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  const list = page.getByRole('button', { name: 'Episodes' })
  await panel
    .getByText(/^Weekly/)
    .first()
    .click()
  const terms = panel.getByText(/until you cancel, tax included/).filter({ visible: true })
  for (const viewport of [
    phone.viewport,
    narrowPhone,
    { width: 844, height: 390 },
    { width: 720, height: 450 },
  ]) {
    await page.setViewportSize(viewport)
    const { width, height } = (await readStable(() => list.boundingBox())) ?? { width: 0, height: 0 }
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
    for (const words of [panel.getByRole('heading'), panel.getByRole('link'), terms])
      expect(await overlap(list, words), `${viewport.width}: ${words}`).toBe(false)
  }
  await list.click()
  await page
    .getByRole('list', { name: 'Episodes' })
    .getByRole('button', { name: /^Episode 2\b/ })
    .click()
  await expectPlaying(page, 2)
  await expect(panel).toHaveCount(0)
})

test('beside a wallet, the button of a plan is as high as the button of an episode @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  await panel
    .getByText(/^Monthly/)
    .first()
    .click()
  const subscribe = panel.getByRole('button', { name: 'Subscribe for $24.99' })
  await expect.poll(async () => (await subscribe.boundingBox())?.height).toBe(52)
})

test('on a narrow phone, the German pay button beside a wallet has one line @screens', async ({ page }) => {
  await page.setViewportSize(narrowPhone)
  await page.addInitScript(() => localStorage.setItem('language', 'dy'))
  await page.goto(await towerUrl(page, 4))
  const pay = page.getByRole('button', { name: /^0,99\s\$ bezahlen$/ })
  await expect.poll(async () => (await pay.boundingBox())?.height).toBe(52)
})

test('on a phone, the bar with the pay button covers no offer in German @screens', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('language', 'dy'))
  await page.goto(await towerUrl(page, 4))
  const yearly = page.locator('label').filter({ hasText: /^Jährlich/ })
  await expect(yearly).toBeVisible()
  const isOnTop = () =>
    yearly.evaluate((label) => {
      const { left, bottom } = label.getBoundingClientRect()
      return label.contains(document.elementFromPoint(left + 20, bottom - 4))
    })
  await expect.poll(isOnTop).toBe(true)
})

test('at 200 % zoom on a phone, no price of the paywall is cut off, in English and German @screens', async ({
  page,
}) => {
  await page.setViewportSize({ width: 195, height: 422 })
  for (const [language, name] of [
    ['en', 'Episode 4 is locked'],
    ['dy', 'Folge 4 ist gesperrt'],
  ] as const) {
    await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto(await towerUrl(page, 4))
    const panel = page.getByRole('region', { name })
    await expect(panel.getByText(/149[.,]99/).first()).toBeVisible()
    await expect
      .poll(() => panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      .toBe(0)
    const wallet = expressFrame(page).getByRole('button', { name: 'Sandbox Pay' })
    await expect(wallet).toBeVisible()
    expect(await wallet.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  }
})

test('the text above the offers is readable on a white picture @screens', async ({ page }) => {
  const white = await sharp({ create: { width: 90, height: 160, channels: 3, background: '#fff' } })
    .webp()
    .toBuffer()
  await page.route('**/still.webp*', (route) => route.fulfill({ contentType: 'image/webp', body: white }))
  await page.goto(await towerUrl(page, 4))
  const panel = lockedPanel(page, 4)
  const words = panel.getByText('The Test Tower')
  const list = page.getByRole('button', { name: 'Episodes' })
  for (const viewport of [phone.viewport, narrowPhone]) {
    await page.setViewportSize(viewport)
    for (const element of [words, list]) {
      await readStable(() => element.boundingBox())
      await expect.poll(() => contrastOf(page, element)).toBeGreaterThan(4.5)
    }
  }
})

test('in a low and wide window, the bar with the pay button ends at the lower edge of the panel @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  const button = lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' })
  for (const viewport of [
    { width: 844, height: 390 },
    { width: 720, height: 450 },
  ]) {
    await page.setViewportSize(viewport)
    const isBarBelow = () =>
      button.evaluate((element, { width, height }) => {
        const panel = element.closest('[data-layout]')
        return document
          .elementsFromPoint(width - 40, height - 10)
          .filter((each) => each !== panel && panel?.contains(each) && each.contains(element))
          .some((each) => getComputedStyle(each).backgroundImage !== 'none')
      }, viewport)
    await expect.poll(isBarBelow).toBe(true)
  }
})

for (const layout of ['sheet', 'card'])
  test(`in a low window with the layout "${layout}", the button that shows the payment methods keeps its place @screens`, async ({
    page,
  }) => {
    await page.route('/api/homepage*', async (route) => {
      const response = await route.fetch()
      const { info, ...rest } = (await response.json()) as { info: { pay_theme: object } }
      await route.fulfill({
        response,
        json: { ...rest, info: { ...info, pay_theme: { ...info.pay_theme, layout } } },
      })
    })
    await page.goto(await towerUrl(page, 4))
    const panel = lockedPanel(page, 4)
    await expect(panel).toHaveAttribute('data-layout', layout)
    const others = panel.getByRole('button', { name: 'Other ways to pay' })
    const methods = panel.getByRole('group', { name: 'How would you like to pay?' })
    const buttonPosition = async () => (await others.boundingBox())?.y ?? NaN
    for (const viewport of [
      { width: 390, height: 540 },
      { width: 540, height: 500 },
      { width: 844, height: 390 },
    ]) {
      await page.setViewportSize(viewport)
      await others.scrollIntoViewIfNeeded()
      const before = await readStable(buttonPosition)
      // Browsers scroll by whole pixels.
      const expectInPlace = async () => expect(Math.abs((await buttonPosition()) - before)).toBeLessThan(1)
      await others.click()
      await expectInPlace()
      await expect(methods).toBeInViewport({ ratio: 1 })
      await others.click()
      await expect(methods).toHaveCount(0)
      await expectInPlace()
    }
  })

test('the message of the last field is visible above the pay button @screens', async ({ page }) => {
  await openCardForm(page, 4)
  const { form, card } = cardForm(page)
  const pay = form.getByRole('button', { name: 'Pay $0.99' })
  await form.getByLabel('E-mail').fill(randomEmail())
  await form.getByLabel('First name').fill('Ada')
  await form.getByLabel('Last name').fill('Lovelace')
  await card.getByLabel('Card number').fill(pays)
  await card.getByLabel('Expiry').fill('12 / 39')
  const message = card.getByText('Enter the 3-digit code (4 on Amex).')
  for (const viewport of [phone.viewport, { width: 390, height: 667 }, desktop.viewport]) {
    await page.setViewportSize(viewport)
    await form.getByLabel('E-mail').focus()
    await pay.click()
    const isVisible = async () => {
      const [text, bar] = await Promise.all([
        message.boundingBox(),
        form.getByText('once, tax included').last().boundingBox(),
      ])
      return text !== null && bar !== null && text.y + text.height <= bar.y
    }
    await expect.poll(isVisible, `${viewport.width} px`).toBe(true)
  }
})

test('going back closes the open form and stays at the locked episode @screens', async ({ page }) => {
  await openCardForm(page, 4)
  await expect(cardForm(page).form.getByLabel('E-mail')).toBeVisible()
  await page.goBack()
  await expect(page.getByTitle('Payment', { exact: true })).toHaveCount(0)
  await expect(lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' })).toBeVisible()
  await expect(page).toHaveURL(/episode=4/)
})
