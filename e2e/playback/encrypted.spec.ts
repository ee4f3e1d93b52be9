import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

declare global {
  interface Window {
    /** The sources that were set on video elements. */
    sources?: string[]
  }
}

test.use({ pace: 'real', site: { template: 'encryptedDoor', withFakeServices: false, settings: {} } })

/** Returns the URL of the first episode of the only drama. */
async function doorUrl(page: Page): Promise<string> {
  const answer = await page.request.get('/api/homepage')
  const { info } = (await answer.json()) as { info: { homepage: { items: { id: string }[] }[] } }
  return `/videos/${info.homepage.flatMap(({ items }) => items)[0]?.id ?? ''}?episode=1`
}

async function noteSources(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const sources = (window.sources = [] as string[])
    const usual = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'src')
    Object.defineProperty(HTMLMediaElement.prototype, 'src', {
      ...usual,
      set(this: HTMLMediaElement, source: string) {
        sources.push(source)
        usual?.set?.call(this, source)
      },
    })
  })
}

test('plays an encrypted episode without trying the native player, which does not support it', async ({
  page,
}) => {
  await noteSources(page)
  const keys: number[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/key')) keys.push(response.status())
  })
  await page.goto(await doorUrl(page))
  await expectProgress(page)
  const video = page.locator('video').first()
  await expect.poll(() => video.evaluate((each: HTMLVideoElement) => each.currentTime)).toBeGreaterThan(3)
  const sources = await page.evaluate(() => window.sources ?? [])
  expect(sources.length).toBeGreaterThan(0)
  expect(sources.filter((source) => !source.startsWith('blob:'))).toEqual([])
  expect(new Set(keys)).toEqual(new Set([200]))
})
