import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test'

/** What a person does on the video page, and what they see of it. */

/** The video of the episode on screen: those of its neighbours are inert. */
const onScreen = 'video:not([inert] *)'

/** The second that the episode on screen is at, also once it has ended; -1 while there is none. */
export const second = (page: Page): Promise<number> =>
  page.evaluate((selector) => {
    const shown = document.querySelector<HTMLVideoElement>(selector)
    return shown && (shown.ended || !shown.paused) ? shown.currentTime : -1
  }, onScreen)

/** Waits until the episode of this number is on screen and moving. */
export async function expectPlaying(page: Page, number: number): Promise<void> {
  await expect(page).toHaveURL(new RegExp(`episode=${number}\\b`))
  let before = -1
  const look = async () => (before = await second(page))
  await expect.poll(look, { message: `episode ${number} moves` }).toBeGreaterThan(0)
  await expect.poll(() => second(page), { message: `episode ${number} goes on` }).not.toBe(before)
}

/** Waits until whatever is on screen moves. */
export async function expectMoving(page: Page): Promise<void> {
  await expect.poll(() => second(page), { message: 'the episode moves' }).toBeGreaterThan(0)
}

/** Goes to the last moments of the episode on screen, which then ends by itself. */
export async function skipToEnd(page: Page): Promise<void> {
  await expectMoving(page)
  const isNearEnd = () =>
    page.locator(onScreen).evaluate((video: HTMLVideoElement) => {
      const near = video.duration - 0.5
      if (video.ended || (video.currentTime >= near && !video.seeking)) return true
      // Of a film whose length is not known yet there is no end to go to.
      if (Number.isFinite(near)) video.currentTime = near
      return false
    })
  await expect.poll(isNearEnd).toBe(true)
}

/** To the next episode: a finger's swipe on a phone, a key on a desktop. */
export async function swipeUp(page: Page, phone: boolean): Promise<void> {
  if (!phone) return page.keyboard.press('n')
  const { width, height } = page.viewportSize() ?? { width: 390, height: 844 }
  const feed = page.locator('[data-player] [role=region]').first()
  const scrolled = () => feed.evaluate((each) => each.scrollTop / each.clientHeight)
  // A feed that still snaps to the episode before would be stopped halfway, and snap back.
  let begin = 0
  const awayFromRest = async () => {
    begin = await scrolled()
    return Math.abs(begin - Math.round(begin))
  }
  await expect.poll(awayFromRest, { message: 'the feed is at rest' }).toBeLessThan(0.01)
  const devtools = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints })
  const steps = 8
  const at = (step: number) => [{ x: width / 2, y: height * (0.75 - (0.7 * step) / steps) }]
  // Chromium's own scroll gesture now and then sends no moves at all.
  await touch('touchStart', at(0))
  for (let step = 1; step <= steps; step++) {
    await touch('touchMove', at(step))
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  // A busy browser leaves moves out: the finger stays until the feed has come beyond the half from which it snaps on.
  await expect
    .poll(
      async () => {
        await touch('touchMove', at(steps))
        return (await scrolled()) - begin
      },
      { message: 'the feed follows the finger' },
    )
    .toBeGreaterThan(0.55)
  await touch('touchEnd', [])
  await devtools.detach()
}

export const lockedPanel = (page: Page, number: number) =>
  page.getByRole('region', { name: `Episode ${number} is locked` })

/** The card form in its frame, and the gateway's own frame in it. */
export function cardForm(page: Page): { form: FrameLocator; card: FrameLocator } {
  const form = page.frameLocator('iframe[title="Payment"]')
  return { form, card: form.frameLocator('iframe[title="Card"]') }
}

/** The express wallet of the locked panel, in its frame. */
export const expressFrame = (page: Page): FrameLocator =>
  page.frameLocator('iframe[title="Wallet"], iframe[title="Geldbörse"]')

/** The sheet of the sandbox's wallet, over the document that its button is in. */
export const sandboxSheet = (document: FrameLocator): FrameLocator =>
  document.frameLocator('iframe[title="Sandbox Pay"]')

export interface TypedCard {
  number: string
  email?: string
}

/** An e-mail has an introductory price once, so each payment has one of its own. */
export const anAddress = () => `ada-${crypto.randomUUID().slice(0, 8)}@example.com`

/** Types a card and a person, and presses the button with the price. */
export async function payByCard(page: Page, { number, email = anAddress() }: TypedCard): Promise<void> {
  const { form, card } = cardForm(page)
  await form.getByLabel('E-mail').fill(email)
  await form.getByLabel('First name').fill('Ada')
  await form.getByLabel('Last name').fill('Lovelace')
  await card.getByLabel('Card number').fill(number)
  await card.getByLabel('Expiry').fill('12 / 39')
  await card.getByLabel('CVV').fill('123')
  await form.getByRole('button', { name: /^(Pay|Subscribe)/ }).click()
}

/** Shows the ways to pay that a panel keeps behind one press, and chooses one. */
export async function choosePayment(panel: Locator, name: string): Promise<void> {
  await panel.getByRole('button', { name: 'Other ways to pay' }).click()
  await panel.getByText(name, { exact: true }).click()
}

/** Chooses a wallet for an episode, and goes on to where it is approved. */
export async function payByWallet(page: Page, panel: Locator, wallet = 'Wallet'): Promise<void> {
  await choosePayment(panel, wallet)
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  const { form } = cardForm(page)
  await form.getByLabel('E-mail').fill('ada@example.com')
  await form.getByRole('button', { name: /Continue to pay/ }).click()
}

/** The bank's check, framed by the card form. */
export const bankFrame = (page: Page) => cardForm(page).form.frameLocator('iframe[title="Bank verification"]')

/** The address of an episode of the test drama, found as the screens find it. */
export async function towerUrl(page: Page, episode: number): Promise<string> {
  const answer = await page.request.get('/api/homepage')
  const { info } = (await answer.json()) as {
    info: { homepage: { items: { id: string; title: string }[] }[] }
  }
  const tower = info.homepage.flatMap(({ items }) => items).find(({ title }) => title === 'The Test Tower')
  return `/videos/${tower?.id ?? ''}?episode=${episode}`
}
