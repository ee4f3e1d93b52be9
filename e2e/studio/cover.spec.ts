import type { Browser, Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { createDraft, uploadFilms, openStudioWithSession } from '#e2e/support/studio.ts'
import { tinyVideo } from '#e2e/support/tiny-video.ts'

test.use({ bypassCSP: true })

/** Publishes a video with one episode per file and a unique title. @returns the title and its id */
async function openPublished(page: Page, films: Buffer[]): Promise<{ title: string; id: string }> {
  await openStudioWithSession(page, 'editor')
  const title = `Cover ${crypto.randomUUID().slice(0, 8)}`
  const id = await createDraft(page, title)
  await uploadFilms(page, id, films)
  await page.goto(`/studio/videos/${id}`)
  await expect(coverOf(page, title)).toBeVisible()
  await page.getByRole('button', { name: 'Publish now' }).click()
  await expect(page.getByRole('link', { name: 'Open page' })).toBeVisible()
  return { title, id }
}

const coverOf = (page: Page, title: string) => page.getByRole('img', { name: `Cover of ${title}` })

/** Returns "red", "blue", "black" or "mixed" for an image's mean colour. */
const colourOf = (picture: Locator) =>
  picture.evaluate(async (element: HTMLImageElement | HTMLCanvasElement) => {
    // Decoding is cancelled if another image replaces this one.
    if (element instanceof HTMLImageElement) await element.decode().catch(() => {})
    const canvas = document.createElement('canvas')
    const context = canvas.getContext('2d')
    ;[canvas.width, canvas.height] = [1, 1]
    if (context) context.imageSmoothingQuality = 'high'
    context?.drawImage(element, 0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = context?.getImageData(0, 0, 1, 1).data ?? []
    if (red > 150 && blue < 80) return 'red'
    if (blue > 150 && red < 80) return 'blue'
    return green > 60 || red + blue > 100 ? 'mixed' : 'black'
  })

/** Returns the colour of the cover that a visitor sees. */
async function coverForVisitors(browser: Browser, title: string): Promise<string> {
  const viewer = await (await browser.newContext({ locale: 'en-US' })).newPage()
  await viewer.goto(`/searchDetail/${encodeURIComponent(title)}`)
  const cover = viewer.getByRole('main').getByRole('link').filter({ hasText: title }).locator('img').first()
  await expect(cover).toBeVisible()
  const colour = await colourOf(cover)
  await viewer.context().close()
  return colour
}

/** Returns an image three times as wide as a cover, red on the left and blue on the right. */
async function wide(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const [width, height] = [900, 400]
  const half = await sharp({ create: { width: width / 2, height, channels: 3, background: '#1020e0' } })
    .png()
    .toBuffer()
  const buffer = await sharp({ create: { width, height, channels: 3, background: '#e02010' } })
    .composite([{ input: half, left: width / 2, top: 0 }])
    .png()
    .toBuffer()
  return { name: 'wide.png', mimeType: 'image/png', buffer }
}

test('an image is cropped by dragging and by keys, and visitors see that part as the cover @desktop', async ({
  page,
  browser,
  isMobile,
}) => {
  const { title } = await openPublished(page, [await tinyVideo()])
  await page.locator('#cover input[type=file]').setInputFiles(await wide())
  const dialog = page.getByRole('dialog', { name: 'Crop cover' })
  const canvas = dialog.locator('canvas')
  await expect.poll(() => colourOf(canvas)).toBe('mixed')
  await expectAccessible(page)
  await expectNoOverflow(page)
  const { x, y, width } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0 }
  const [from, to] = [
    { x: x + 20, y: y + 50 },
    { x: x + width + 150, y: y + 60 },
  ]
  // The drag ends far beyond the image, like a quick drag of an operator.
  if (isMobile) {
    const devtools = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints })
    await touch('touchStart', [from])
    await touch('touchMove', [to])
    await touch('touchEnd', [])
  } else {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y)
    await page.mouse.up()
  }
  await expect.poll(() => colourOf(canvas)).toBe('red')
  const horizontalSlider = dialog.getByRole('slider', { name: 'Horizontal' })
  await horizontalSlider.focus()
  await page.keyboard.press('End')
  await expect.poll(() => colourOf(canvas)).toBe('blue')
  await page.keyboard.press('Home')
  await page.keyboard.press('End')
  await dialog.getByRole('button', { name: 'Use as cover' }).click()
  await expect(dialog).toHaveCount(0)
  await expect.poll(() => colourOf(coverOf(page, title))).toBe('blue')
  await expect.poll(() => coverForVisitors(browser, title)).toBe('blue')
})

test('a frame of any playable episode can become the cover', async ({ page }) => {
  const { title } = await openPublished(page, [await tinyVideo(), await tinyVideo()])
  await expect(page.locator('#episodes ol > li').nth(1)).toContainText('Ready')
  const before = await coverOf(page, title).getAttribute('src')
  await page.getByRole('button', { name: 'Choose frame' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose frame' })
  await dialog.getByLabel('Episode').first().selectOption('Tale 2')
  await expect
    .poll(() => dialog.locator('video').evaluate((video: HTMLVideoElement) => video.readyState))
    .toBeGreaterThan(1)
  // The video has no poster, so the dialog shows the frame that would become the cover.
  await expect(dialog.locator('video')).not.toHaveAttribute('poster')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Use this frame' }).click()
  await page.getByRole('dialog', { name: 'Crop cover' }).getByRole('slider', { name: 'Zoom' }).focus()
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Use as cover' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(coverOf(page, title)).not.toHaveAttribute('src', before ?? '')
  await expect.poll(() => colourOf(coverOf(page, title))).not.toBe('black')
})

test('the dialog for a frame shows that the episodes could not be loaded, and loads them again', async ({
  page,
}) => {
  await openStudioWithSession(page, 'editor')
  const id = await createDraft(page, 'Without episodes')
  await page.route('**/api/studio/episodes*', (route) =>
    route.fulfill({ json: { code: 500, message: 'The database is down.' } }),
  )
  await page.goto(`/studio/videos/${id}`)
  await page.getByRole('button', { name: 'Choose frame' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose frame' })
  const nothingToPlay = dialog.getByText('No episode is ready to play yet.')
  const retry = dialog.getByRole('button', { name: 'Try again' })
  await expect(retry).toBeVisible()
  await expect(nothingToPlay).toHaveCount(0)
  await page.unrouteAll()
  await retry.click()
  await expect(nothingToPlay).toBeVisible()
  await expect(retry).toHaveCount(0)
})
