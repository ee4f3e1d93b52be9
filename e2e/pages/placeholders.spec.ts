import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoLayoutShift, readStable, recordLayoutShifts } from '#e2e/support/page-quality.ts'
import { resolvePath, videoIds } from '#e2e/support/routes.ts'

/** Holds responses until the returned function is called. */
async function holdResponses(page: Page, url: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(url, async (route) => {
    await released
    await route.continue()
  })
  return release
}

/** Returns the positions and heights of the first items of the screen's list. */
const boxes = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((elements) =>
    elements.slice(0, 4).map((element) => {
      const { x, y, height } = element.getBoundingClientRect()
      return [x, y, height].map(Math.round)
    }),
  )

const sizes = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]

for (const size of sizes) {
  test(`cards replace their placeholders in place, in a window of ${size.width} px @screens`, async ({
    page,
  }) => {
    await page.setViewportSize(size)
    const release = await holdResponses(page, '**/api/homepage/query?*')
    await page.goto(await resolvePath(page, '/more/{section}'))
    const placeholders = page.getByRole('status', { name: 'Loading' })
    await placeholders.waitFor()
    const [before = []] = await readStable(() => boxes(page, 'main [role=status] > *'))
    release()
    await page.locator('main li').first().waitFor()
    const [after] = await boxes(page, 'main li > a')
    expect(after).toEqual(before)
  })

  test(`library items replace their placeholders in place, in a window of ${size.width} px @screens`, async ({
    page,
  }) => {
    await page.setViewportSize(size)
    await page.goto('/')
    for (const video_id of await videoIds(page))
      await page.evaluate(
        (body) =>
          fetch('/api/user/favorite', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          }),
        JSON.stringify({ video_id }),
      )
    const release = await holdResponses(page, '**/api/user/favorite?*')
    await page.goto('/favorites')
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    const [before] = await readStable(() => boxes(page, 'main [role=status] > li'))
    release()
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    const [after] = await boxes(page, 'main li')
    expect(after).toEqual(before)
  })
}

for (const path of ['/shopping', '/more/{section}', '/serviceAgreement'])
  test(`nothing on ${path} moves when the site's font loads late @screens`, async ({ page }) => {
    await recordLayoutShifts(page)
    const release = await holdResponses(page, '**/*.woff2')
    // The font is preloaded, so the document's load event waits for it.
    await page.goto(await resolvePath(page, path), { waitUntil: 'commit' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    const textWidth = () => page.getByRole('heading', { level: 1 }).evaluate(measureText)
    const widthInFallback = await textWidth()
    release()
    await expect.poll(textWidth).not.toBe(widthInFallback)
    // The browser reports a shift after the frame in which it happens.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
    await expectNoLayoutShift(page)
  })

/** Returns the width of an element's text, which depends on the font that draws it. */
function measureText(element: Element): number {
  const range = document.createRange()
  range.selectNodeContents(element)
  return range.getBoundingClientRect().width
}
