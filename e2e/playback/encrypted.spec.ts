import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

declare global {
  interface Window {
    /** The sources that were set on video elements. */
    videoSources?: string[]
  }
}

test.use({
  playbackSpeed: 'real',
  site: { template: 'encryptedDoor', withFakeServices: false, settings: {} },
})

/** Returns the URL of the first episode of the only drama. */
async function firstEpisodeUrl(page: Page): Promise<string> {
  const answer = await page.request.get('/api/homepage')
  const { info } = (await answer.json()) as { info: { homepage: { items: { id: string }[] }[] } }
  return `/videos/${info.homepage.flatMap(({ items }) => items)[0]?.id ?? ''}?episode=1`
}

async function recordSources(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const sources = (window.videoSources = [] as string[])
    const original = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'src')
    Object.defineProperty(HTMLMediaElement.prototype, 'src', {
      ...original,
      set(this: HTMLMediaElement, source: string) {
        sources.push(source)
        original?.set?.call(this, source)
      },
    })
  })
}

test('an encrypted episode plays without an attempt of the native player, which does not support encryption', async ({
  page,
}) => {
  await recordSources(page)
  const keys: number[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/key')) keys.push(response.status())
  })
  await page.goto(await firstEpisodeUrl(page))
  await expectProgress(page)
  const video = page.locator('video').first()
  await expect.poll(() => video.evaluate((each: HTMLVideoElement) => each.currentTime)).toBeGreaterThan(3)
  const sources = await page.evaluate(() => window.videoSources ?? [])
  expect(sources.length).toBeGreaterThan(0)
  expect(sources.filter((source) => !source.startsWith('blob:'))).toEqual([])
  expect(new Set(keys)).toEqual(new Set([200]))
})
