import type { Locator, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { cardForm, expectProgress, lockedPanel, towerUrl } from '#e2e/support/playback-and-payment.ts'

const player = (page: Page) => page.locator('[data-player]')

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox()
  if (!box) throw new Error(`${String(locator)} is not on screen`)
  return box
}

async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([boxOf(one), boxOf(other)])
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

test('the 2× badge is shown beside the unmute button', async ({ page }) => {
  await page.addInitScript(() => {
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
      return this.muted ? play.call(this) : Promise.reject(new DOMException('no tap yet', 'NotAllowedError'))
    }
  })
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  const [speedBadge, unmuteButton] = [
    player(page).getByText('2×'),
    page.getByRole('button', { name: 'Turn on sound' }),
  ]
  await expect(unmuteButton).toBeVisible()
  await page.mouse.move(150, 300)
  await page.mouse.down()
  await expect(speedBadge).toBeVisible()
  await expect(unmuteButton).toBeVisible() // stays
  await expect.poll(() => overlap(speedBadge, unmuteButton)).toBe(false)
  await page.mouse.up()
  await expect(speedBadge).toBeHidden()
})

test('the equalizer icon is shown on the playing episode, and not on locked episodes @desktop', async ({
  page,
}) => {
  const current = page.getByRole('list', { name: 'Episodes' }).locator('[aria-current]')
  await page.goto(await towerUrl(page, 1))
  await expect(current).toHaveAccessibleName(/Episode 1\b.*Playing/)
  await expect(current.locator('[class*=bars]')).toBeVisible()
  await page.goto(await towerUrl(page, 5))
  await expect(lockedPanel(page, 5)).toBeVisible()
  await expect(current).toHaveAccessibleName(/Episode 5\b.*Locked/)
  await expect(current.locator('[class*=bars]')).toHaveCount(0)
})

test('holding one finger on the video plays at double speed, and holding two fingers does not', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  // The video may start to play before the interface is mounted, and only the interface handles touches.
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
  const devtools = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchEnd', ...fingers: number[]) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: fingers.map((x) => ({ x, y: 300, id: x })),
    })
  const speedBadge = player(page).getByText('2×')
  await touch('touchStart', 150)
  await expect(speedBadge).toBeVisible()
  await touch('touchEnd')
  await expect(speedBadge).toBeHidden()
  await touch('touchStart', 150)
  await touch('touchStart', 150, 250)
  await touch('touchEnd')
  // Waits longer than a press needs to start double speed, and then for two frames.
  await page.evaluate(
    () =>
      new Promise((resolve) =>
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), 500),
      ),
  )
  expect(await speedBadge.count()).toBe(0)
})

test('a toast covers no heading @screens @sizes', async ({ page }) => {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill('nobody@example.com')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click()
  const message = page.locator('[popover][role=status]')
  await expect(message).toBeVisible()
  for (const heading of await page.getByRole('heading').all())
    if (await heading.isVisible())
      await expect.poll(() => overlap(message, heading), await heading.innerText()).toBe(false)
})

test('keyboard shortcuts are offered with a keyboard, and not on touch devices @sizes', async ({
  page,
  isMobile,
}) => {
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await player(page).hover()
  await player(page).getByRole('button', { name: 'Settings' }).click()
  const sheet = page.getByRole('dialog', { name: 'Settings' })
  await expect(sheet).toBeVisible()
  const shortcutsButton = sheet.getByRole('button', { name: 'Keyboard shortcuts' })
  await expect(shortcutsButton).toHaveCount(isMobile ? 0 : 1)
})

test('the card frame uses the font of the page @screens @sizes', async ({ page }) => {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: /^Pay/ }).click()
  const label = cardForm(page).card.getByText('Card number')
  await expect(label).toBeVisible()
  const loaded = () =>
    label.evaluate((element) => {
      const { fontFamily } = getComputedStyle(element)
      const isFontLoaded = [...document.fonts].some(
        ({ family, status }) => family === 'Figtree' && status === 'loaded',
      )
      return isFontLoaded && fontFamily.startsWith('Figtree')
    })
  await expect.poll(loaded).toBe(true)
})

test('a long word in a title is broken instead of clipped @screens', async ({ page }) => {
  await page.goto('/?lang=dy')
  const title = page.getByRole('main').getByText('The Test Tower').last()
  const isClipped = await title.evaluate((element) => {
    element.textContent = 'Mitternachtserbengemeinschaft'
    return element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight
  })
  expect(isClipped).toBe(false)
})

test('the first poster of the homepage is not cropped vertically @screens', async ({ page }) => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 360, height: 640 },
  ]) {
    await page.setViewportSize(viewport)
    await page.goto('/')
    const slide = page.getByRole('region', { name: 'Featured' }).getByRole('listitem').first()
    for (const element of [slide.locator('img'), slide.getByRole('heading')])
      await expect(element).toBeVisible()
    const [imageBox, headingBox] = [
      await boxOf(slide.locator('img')),
      await boxOf(slide.getByRole('heading')),
    ]
    // Nothing is cropped at the top or bottom; the sides may be.
    expect(imageBox.width / imageBox.height).toBeLessThanOrEqual(0.751)
    expect((headingBox.y - imageBox.y) / imageBox.height).toBeGreaterThan(0.66)
    await expect(slide.getByText(/A test in \d part/)).toBeVisible()
  }
})

test.describe('an unknown URL', () => {
  test.use({ allowedConsoleMessages: /404/ })

  test('offers dramas @sizes', async ({ page }) => {
    await page.goto('/nowhere')
    await page
      .getByRole('region', { name: 'You may like' })
      .getByRole('link', { name: /The Test Tower/ })
      .click()
    await expect(page).toHaveTitle(/The Test Tower/)
  })
})
