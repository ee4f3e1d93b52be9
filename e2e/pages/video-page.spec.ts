import type { Locator, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { overlap, readStable } from '#e2e/support/page-quality.ts'
import { desktop } from '#e2e/playwright.config.ts'
import { expectProgress, expectPlaying, towerUrl } from '#e2e/support/playback-and-payment.ts'

async function openTower(page: Page): Promise<void> {
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  // The video may start to play before the interface is mounted, and only the interface handles keys and the mouse
  // wheel.
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
}

const player = (page: Page) => page.locator('[data-player]')
/** The captions of the first episode. The next episode is preloaded, so its captions are also in the page. */
const shownCaptions = (page: Page) => player(page).locator('[data-captions]').first().locator('p')
const pause = (page: Page) => page.getByRole('button', { name: 'Pause', exact: true }).press('Enter')

/** A phone in landscape, a desktop at 200 % zoom, and a small phone in landscape. */
const lowWindows = [
  { width: 844, height: 390 },
  { width: 720, height: 450 },
  { width: 640, height: 360 },
]
const smallPhone = { width: 360, height: 640 }

/** Waits between two wheel notches: faster events count as a touchpad's momentum (use-wheel-steps.ts). */
const waitForWheelPause = (page: Page) =>
  page.evaluate(() => new Promise((resume) => setTimeout(resume, 200)))

test('one notch of a mouse wheel changes the episode, whether it scrolls 100 or 300 px @desktop', async ({
  page,
}) => {
  await openTower(page)
  await player(page).hover()
  await page.mouse.wheel(0, 100)
  await expectPlaying(page, 2)
  await waitForWheelPause(page)
  await page.mouse.wheel(0, 300)
  await expectPlaying(page, 3)
  await page.mouse.wheel(0, -100)
  await expectPlaying(page, 2)
})

test('turning the wheel back immediately returns to the previous episode @desktop', async ({ page }) => {
  await openTower(page)
  await player(page).hover()
  await page.mouse.wheel(0, 100)
  await expect(page).toHaveURL(/episode=2\b/)
  await page.mouse.wheel(0, -100)
  await expectPlaying(page, 1)
})

/** Opens the video with other captions, and pauses it. */
async function openWithCaptions(page: Page, vtt: string) {
  await page.route(/\.vtt/, (route) => route.fulfill({ contentType: 'text/vtt; charset=utf-8', body: vtt }))
  await openTower(page)
  await pause(page)
}

const overlappingCaptions = `WEBVTT

00:00.000 --> 00:06.000
FIRST SPEAKER SAYS THIS

00:00.000 --> 00:06.000
<i>And</i> the second one answers & goes on for as long as a caption of three lines takes on a phone
`

test('nothing in the player covers anything else in a low window @screens', async ({ page }) => {
  await openWithCaptions(page, overlappingCaptions)
  const button = (name: string) => player(page).getByRole('button', { name, exact: true })
  const title = player(page).getByText('The Test Tower', { exact: true }).first()
  const rightOfTitle = () =>
    title.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect().right
    })
  for (const viewport of lowWindows) {
    await page.setViewportSize(viewport)
    await expect.poll(() => overlap(button('Settings'), button('Add to favorites'))).toBe(false)
    for (const name of ['Add to favorites', 'Share', 'Captions'])
      await expect
        .poll(async () => ((await button(name).boundingBox())?.x ?? 0) - (await rightOfTitle()), name)
        .toBeGreaterThan(0)
    await expect(shownCaptions(page).first()).toBeVisible()
    await expect.poll(() => overlap(shownCaptions(page).first(), title)).toBe(false)
  }
})

test('simultaneous captions are stacked between the top and the controls @screens @sizes', async ({
  page,
  isMobile,
}) => {
  await openWithCaptions(page, overlappingCaptions)
  const [first, second] = [shownCaptions(page).first(), shownCaptions(page).last()]
  const title = player(page).getByText('The Test Tower', { exact: true }).first()
  const settings = player(page).getByRole('button', { name: 'Settings' })
  const favorite = player(page).getByRole('button', { name: 'Add to favorites' })
  for (const viewport of [isMobile ? smallPhone : desktop.viewport, ...lowWindows]) {
    await page.setViewportSize(viewport)
    await expect(shownCaptions(page)).toHaveText([/^FIRST SPEAKER/, /^And the second one answers & goes on/])
    await expect.poll(() => gapBelow(first, second)).toBeGreaterThan(0)
    await expect.poll(() => gapBelow(second, title)).toBeGreaterThan(0)
    await expect.poll(() => gapBelow(settings, first)).toBeGreaterThan(0)
    await expect.poll(() => overlap(second, favorite)).toBe(false)
    await expect(second).toBeInViewport({ ratio: 1 })
  }
  await player(page).getByRole('button', { name: 'Captions' }).press('Enter')
  await expect(shownCaptions(page)).toHaveCount(0)
})

const positionedCaptions = `WEBVTT

00:00.000 --> 00:06.000
At the foot

00:00.000 --> 00:06.000 line:0
FIRST AT THE TOP

00:00.000 --> 00:06.000 line:10%
SECOND AT THE TOP

00:00.000 --> 00:06.000 line:-2
At the foot too
`

test('captions positioned at the top are shown there, others at the bottom @screens @sizes', async ({
  page,
  isMobile,
}) => {
  await openWithCaptions(page, positionedCaptions)
  const settings = player(page).getByRole('button', { name: 'Settings' })
  const title = player(page).getByText('The Test Tower', { exact: true }).first()
  for (const viewport of [isMobile ? smallPhone : desktop.viewport, ...lowWindows]) {
    await page.setViewportSize(viewport)
    const texts = ['FIRST AT THE TOP', 'SECOND AT THE TOP', 'At the foot', 'At the foot too']
    await expect(shownCaptions(page)).toHaveText(texts)
    const [first, second, third, fourth] = [0, 1, 2, 3].map((at) => shownCaptions(page).nth(at))
    if (!first || !second || !third || !fourth) throw new Error('four captions are expected')
    await expect.poll(() => gapBelow(settings, first)).toBeGreaterThan(0)
    await expect.poll(() => gapBelow(settings, first)).toBeLessThan(40)
    await expect.poll(() => gapBelow(first, second)).toBeGreaterThan(0)
    await expect.poll(() => gapBelow(third, fourth)).toBeGreaterThan(0)
    await expect.poll(() => gapBelow(fourth, title)).toBeGreaterThan(0)
    // All free space is between the two groups.
    await expect.poll(() => gapBelow(second, third)).toBeGreaterThan(viewport.height / 10)
  }
})

const alignedCaptions = `WEBVTT

00:00.000 --> 00:06.000
in the middle

00:00.000 --> 00:06.000 align:start
at the start

00:00.000 --> 00:06.000 align:left
at the left

00:00.000 --> 00:06.000 align:end
at the end

00:00.000 --> 00:06.000 align:right
at the right

00:00.000 --> 00:06.000 align:start
בהתחלה
`

test('captions are shown on the left, in the centre or on the right, as their cues say @screens @sizes', async ({
  page,
}) => {
  await openWithCaptions(page, alignedCaptions)
  await expect(shownCaptions(page)).toHaveCount(6)
  /** Returns a caption's distances from the left and right edges of its area. */
  const distances = (at: number) =>
    shownCaptions(page)
      .nth(at)
      .evaluate((caption) => {
        const captionBox = caption.getBoundingClientRect()
        const areaBox = caption.parentElement?.getBoundingClientRect() ?? captionBox
        return {
          left: Math.round(captionBox.left - areaBox.left),
          right: Math.round(areaBox.right - captionBox.right),
        }
      })
  const centred = await readStable(() => distances(0))
  expect(Math.abs(centred.left - centred.right)).toBeLessThanOrEqual(2)
  expect(centred.left).toBeGreaterThan(20)
  for (const at of [1, 2]) expect((await distances(at)).left).toBe(0)
  for (const at of [3, 4, 5]) expect((await distances(at)).right).toBe(0)
})

const verticalCaptions = `WEBVTT

00:00.000 --> 00:06.000 vertical:rl line:0
右から読む字幕

00:00.000 --> 00:06.000 vertical:rl line:1 align:start
二列目

00:00.000 --> 00:06.000 vertical:lr line:0
ᠮᠣᠩᠭᠣᠯ

00:00.000 --> 00:06.000
AT THE FOOT, AND FOR SO LONG THAT IT TAKES TWO LINES ON EVERY PHONE
`

test('vertical captions are shown in columns on the left or right, as their cues say, and no captions overlap @screens @sizes', async ({
  page,
  isMobile,
}) => {
  await openWithCaptions(page, verticalCaptions)
  await expect(shownCaptions(page)).toHaveCount(4)
  const [leftCaption, rightCaption, secondCaption, bottomCaption] = [0, 1, 2, 3].map((at) =>
    shownCaptions(page).nth(at),
  )
  if (!leftCaption || !rightCaption || !secondCaption || !bottomCaption)
    throw new Error('a caption is missing')
  await expect(leftCaption).toHaveText('ᠮᠣᠩᠭᠣᠯ')
  for (const viewport of [isMobile ? smallPhone : desktop.viewport, ...lowWindows]) {
    await page.setViewportSize(viewport)
    const captionArea = player(page).locator('[data-captions]').first()
    const layoutOf = async (caption: Locator) => {
      const [box, areaBox] = await Promise.all([caption.boundingBox(), captionArea.boundingBox()])
      if (!box || !areaBox) return null
      const middle = (box.x + box.width / 2 - areaBox.x) / areaBox.width
      return { isTall: box.height > box.width, side: middle < 0.5 ? 'left' : 'right' }
    }
    await expect.poll(() => layoutOf(leftCaption)).toEqual({ isTall: true, side: 'left' })
    for (const caption of [rightCaption, secondCaption])
      await expect.poll(() => layoutOf(caption)).toEqual({ isTall: true, side: 'right' })
    const all = [leftCaption, rightCaption, secondCaption, bottomCaption]
    for (const [at, caption] of all.entries())
      for (const other of all.slice(at + 1)) await expect.poll(() => overlap(caption, other)).toBe(false)
    for (const caption of all) await expect(caption).toBeInViewport({ ratio: 1 })
  }
})

/** Returns the vertical gap between the lower edge of the first and the upper edge of the second element. */
async function gapBelow(upper: Locator, lower: Locator): Promise<number> {
  const [above, below] = await Promise.all([upper.boundingBox(), lower.boundingBox()])
  return above && below ? below.y - above.y - above.height : -1
}

test('the payment panel fits at 200 % zoom, also in German @screens @desktop', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 })
  await page.goto(`${await towerUrl(page, 4)}&lang=de`)
  await page.getByRole('button', { name: 'Andere Zahlungsarten' }).click()
  for (const element of [
    page.getByText('PayPal', { exact: true }),
    page.getByRole('button', { name: /bezahlen/ }),
  ])
    await expect(element).toBeInViewport({ ratio: 1 })
})

test('resizing the window keeps the episode @desktop', async ({ page }) => {
  await page.goto(await towerUrl(page, 6))
  const offer = page.getByRole('region', { name: 'Episode 6 is locked' })
  for (const height of [900, 500, 1100, 400]) {
    await page.setViewportSize({ width: 1280, height })
    // The feed may scroll after the resize.
    await readStable(() => offer.boundingBox())
    await expect(offer).toBeInViewport({ ratio: 0.9 })
    await expect(page).toHaveURL(/episode=6$/) // stays
  }
})

test('a touch unmutes an episode that started muted', async ({ page }) => {
  await page.addInitScript(() => {
    const play = HTMLMediaElement.prototype.play
    HTMLMediaElement.prototype.play = function () {
      const mayPlay = this.muted || navigator.userActivation.hasBeenActive
      return mayPlay ? play.call(this) : Promise.reject(new DOMException('no gesture', 'NotAllowedError'))
    }
  })
  await openTower(page)
  await expect(page.getByRole('button', { name: 'Turn on sound' })).toBeVisible()
  await page.touchscreen.tap(195, 400)
  await expect(page.getByRole('button', { name: 'Turn on sound' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Mute', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible() // stays
})

test('the back button returns to the list in which the drama was found', async ({ page }) => {
  await page.goto('/searchDetail/tower')
  await page.getByRole('link', { name: /The Test Tower/ }).click()
  await expectProgress(page)
  await player(page).getByRole('link', { name: 'Back' }).click()
  await expect(page).toHaveURL(/\/searchDetail\/tower$/)
  await page.goto(await towerUrl(page, 1))
  await player(page).getByRole('link', { name: 'Home' }).click()
  await expect(page).toHaveURL(/:\d+\/$/)
})

test('a portrait rendition is labelled by its shorter side, not by its height', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('player', JSON.stringify({ quality: 360 })))
  await openTower(page)
  await player(page).getByRole('button', { name: 'Settings' }).click()
  const sheet = page.getByRole('dialog', { name: 'Settings' })
  await expect(sheet.getByRole('radio', { name: '360p' })).toBeChecked()
  await expect(sheet.getByText('640p')).toHaveCount(0)
})
