import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test'

/** Actions and checks for the video page. */

/** Selector of the video on screen; the adjacent videos are inert. */
const visibleVideo = 'video:not([inert] *)'

/** Returns the position in seconds of the episode on screen, if it plays or has ended; otherwise -1. */
export const currentSecond = (page: Page): Promise<number> =>
  page.evaluate((selector) => {
    const shown = document.querySelector<HTMLVideoElement>(selector)
    return shown && (shown.ended || !shown.paused) ? shown.currentTime : -1
  }, visibleVideo)

/** Waits until the episode with this number is on screen and playing. */
export async function expectPlaying(page: Page, number: number): Promise<void> {
  await expect(page).toHaveURL(new RegExp(`episode=${number}\\b`))
  // The URL changes before the previous episode, which may still play, becomes inert.
  const slide = page.locator(`[data-player] [role=region] > :nth-child(${number}):not([inert])`)
  await expect(slide).toBeAttached()
  let before = -1
  const readSecond = async () => (before = await currentSecond(page))
  await expect.poll(readSecond, { message: `episode ${number} moves` }).toBeGreaterThan(0)
  const hasMoved = async () => {
    const second = await currentSecond(page)
    return second > 0 && second !== before
  }
  await expect.poll(hasMoved, { message: `episode ${number} plays` }).toBe(true)
}

/** Waits until the video on screen plays. */
export async function expectProgress(page: Page): Promise<void> {
  await expect.poll(() => currentSecond(page), { message: 'the episode moves' }).toBeGreaterThan(0)
}

/** Seeks to the last moments of the episode on screen, so that it ends soon. */
export async function skipToEnd(page: Page): Promise<void> {
  await expectProgress(page)
  const isNearEnd = () =>
    page.locator(visibleVideo).evaluate((video: HTMLVideoElement) => {
      const near = video.duration - 0.5
      if (video.ended || (video.currentTime >= near && !video.seeking)) return true
      // Before the duration is known, it is not possible to seek to the end.
      if (Number.isFinite(near)) video.currentTime = near
      return false
    })
  await expect.poll(isNearEnd).toBe(true)
}

/**
 * Repeats the episode on screen at its end, so that a slow machine does not continue with the next episode.
 * @param isRepeated false to let the episode end again
 */
export async function repeatEpisode(page: Page, isRepeated = true): Promise<void> {
  await page.locator(visibleVideo).evaluate((video: HTMLVideoElement, loop) => {
    video.loop = loop
  }, isRepeated)
}

/** Makes each second of a countdown last ten seconds, so that a test can stop it on a slow machine too. */
export async function slowDownCountdowns(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const original = window.setInterval.bind(window)
    const slowSetInterval = (handler: TimerHandler, ms?: number) =>
      original(handler, ms === 1_000 ? 10_000 : ms)
    Object.assign(window, { setInterval: slowSetInterval })
  })
}

/** Moves to the next episode: by a swipe on a phone, by a key on a desktop. */
export async function swipeUp(page: Page, phone: boolean): Promise<void> {
  if (!phone) return page.keyboard.press('n')
  const { width, height } = page.viewportSize() ?? { width: 390, height: 844 }
  const feed = page.locator('[data-player] [role=region]').first()
  const scrolled = () => feed.evaluate((each) => each.scrollTop / each.clientHeight)
  // First waits until the feed has snapped: a swipe during snapping would stop halfway and snap back.
  let startPosition = 0
  const distanceFromSnap = async () => {
    startPosition = await scrolled()
    return Math.abs(startPosition - Math.round(startPosition))
  }
  await expect.poll(distanceFromSnap, { message: 'the feed is at rest' }).toBeLessThan(0.01)
  const devtools = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints })
  const steps = 8
  const at = (step: number) => [{ x: width / 2, y: height * (0.75 - (0.7 * step) / steps) }]
  // Sends touch events, because Chromium's own scroll gesture sometimes sends no moves.
  await touch('touchStart', at(0))
  for (let step = 1; step <= steps; step++) {
    await touch('touchMove', at(step))
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  // Repeats the last move, because a busy browser drops moves. The finger stays down until the feed is past the half,
  // so that it snaps to the next episode.
  await expect
    .poll(
      async () => {
        await touch('touchMove', at(steps))
        return (await scrolled()) - startPosition
      },
      { message: 'the feed follows the finger' },
    )
    .toBeGreaterThan(0.55)
  await touch('touchEnd', [])
  await devtools.detach()
  // Waits again: a press on a button scrolls it into view, which would move a feed that is still snapping.
  await expect.poll(distanceFromSnap, { message: 'the feed has snapped' }).toBeLessThan(0.01)
}

export const lockedPanel = (page: Page, number: number) =>
  page.getByRole('region', { name: `Episode ${number} is locked` })

/** Returns the frame of the card form, and the gateway's frame in it. */
export function cardForm(page: Page): { form: FrameLocator; card: FrameLocator } {
  const form = page.frameLocator('iframe[title="Payment"]')
  return { form, card: form.frameLocator('iframe[title="Card"]') }
}

/** Returns the frame of the paywall's express wallet. */
export const expressFrame = (page: Page): FrameLocator =>
  page.frameLocator('iframe[title="Wallet"], iframe[title="Geldbörse"]')

/** Returns the sheet of the sandbox's wallet. The sheet covers the document that contains the wallet's button. */
export const sandboxSheet = (document: FrameLocator): FrameLocator =>
  document.frameLocator('iframe[title="Sandbox Pay"]')

export interface CardInput {
  number: string
  email?: string
}

/** Returns a unique e-mail address, because an address gets an introductory price only once. */
export const randomEmail = () => `ada-${crypto.randomUUID().slice(0, 8)}@example.com`

/** Fills in the card form and presses its pay button. */
export async function payByCard(page: Page, { number, email = randomEmail() }: CardInput): Promise<void> {
  const { form, card } = cardForm(page)
  await form.getByLabel('E-mail').fill(email)
  await form.getByLabel('First name').fill('Ada')
  await form.getByLabel('Last name').fill('Lovelace')
  await card.getByLabel('Card number').fill(number)
  await card.getByLabel('Expiry').fill('12 / 39')
  await card.getByLabel('CVV').fill('123')
  await form.getByRole('button', { name: /^(Pay|Subscribe)/ }).click()
}

/** Expands the other payment methods of a panel, and chooses one of them. */
export async function choosePaymentMethod(panel: Locator, name: string): Promise<void> {
  await panel.getByRole('button', { name: 'Other ways to pay' }).click()
  await panel.getByText(name, { exact: true }).click()
}

/** Chooses a wallet for an episode, and opens the wallet's approval page. */
export async function payByWallet(page: Page, panel: Locator, wallet = 'Wallet'): Promise<void> {
  await choosePaymentMethod(panel, wallet)
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  const { form } = cardForm(page)
  await form.getByLabel('E-mail').fill('ada@example.com')
  await form.getByRole('button', { name: /Continue to pay/ }).click()
}

/** Returns the frame of 3-D Secure in the card form. */
export const bankFrame = (page: Page) => cardForm(page).form.frameLocator('iframe[title="Bank verification"]')

/** Returns the id of the test drama, read from the homepage. */
export async function towerId(page: Page): Promise<string> {
  const answer = await page.request.get('/api/homepage')
  const { info } = (await answer.json()) as {
    info: { homepage: { items: { id: string; title: string }[] }[] }
  }
  const tower = info.homepage.flatMap(({ items }) => items).find(({ title }) => title === 'The Test Tower')
  return tower?.id ?? ''
}

/** Returns the URL of an episode of the test drama. */
export const towerUrl = async (page: Page, episode: number): Promise<string> =>
  `/videos/${await towerId(page)}?episode=${episode}`
