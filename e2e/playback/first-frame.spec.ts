import { expect, test } from '#e2e/support/fixtures.ts'
import { readStable } from '#e2e/support/page-quality.ts'
import { openRoute, resolvePath } from '#e2e/support/routes.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

/** Console messages of the browser for missing files. */
test.use({ allowedConsoleMessages: /ERR_FAILED/ })

const path = '/videos/{video}?episode=1'

test("an episode's first frame fills a phone before any script or style sheet has loaded", async ({
  page,
}) => {
  await page.route(/\.(js|css)$/, (route) => route.abort())
  await page.goto(await resolvePath(page, path))
  const first = page.locator('#first-video')
  await expect(first).toHaveAttribute('poster', /poster/)
  expect(await first.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 })
})

test('the episode plays in the video element of the document, whose style sheets are inlined', async ({
  page,
}) => {
  await page.route('**/*.css', (route) => route.abort())
  await page.addInitScript(() =>
    addEventListener('DOMContentLoaded', () =>
      document.getElementById('first-video')?.setAttribute('data-first', ''),
    ),
  )
  await openRoute(page, path)
  await expectProgress(page)
  await expect(page.locator('[data-player] video[data-first]')).toHaveCount(1)
  await expect(page.locator('body > video')).toHaveCount(0)
})

test('the document’s video is removed if the viewer has chosen another language', async ({ page }) => {
  await page.goto('/')
  await page.getByLabel('Language').selectOption('fy')
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await openRoute(page, path)
  await expectProgress(page)
  await expect(page.locator('body > video')).toHaveCount(0)
})

test("the first poster in the homepage's document is at the same position as in the carousel that replaces it", async ({
  page,
}) => {
  await page.goto('/')
  const carouselImage = page.locator('main li img').first()
  await expect(carouselImage).toBeVisible()
  await expect(page.locator('#first-poster')).toBeHidden()
  const imageBox = await readStable(() => carouselImage.boundingBox())
  await page.route('**/*.js', (route) => route.abort())
  await page.context().clearCookies()
  await page.reload()
  await expect.poll(() => page.locator('#first-poster').boundingBox()).toEqual(imageBox)
})

test('files for the end of a drama load after the episode has buffered enough @screens', async ({ page }) => {
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  const isFetched = (name: string) => () => fetched.some((file) => file.startsWith(`/assets/${name}-`))
  const segmentHold = Promise.withResolvers<void>()
  await page.route(/\/v\d\/0000[1-9]\.m4s/, async (route) => {
    await segmentHold.promise
    await route.fallback()
  })
  await page.goto(await resolvePath(page, path))
  // The last of the files that load when the browser is idle.
  await expect.poll(isFetched('DeferredParts')).toBe(true)
  expect(isFetched('EndSlide')()).toBe(false)
  segmentHold.resolve()
  await expect.poll(isFetched('EndSlide')).toBe(true)
})
