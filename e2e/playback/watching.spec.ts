import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress, expectPlaying, repeatEpisode, towerUrl } from '#e2e/support/playback-and-payment.ts'

const controls = (page: Page) => page.locator('[data-player] [data-visible]')

/** In the page: plays from second `from`. After `checks` position updates, returns the DOM changes of the player. */
function changesWhilePlaying({ from, checks }: { from: number; checks: number }): Promise<string[]> {
  const player = document.querySelector('[data-player]')
  const video = player?.querySelector('video')
  const changes = new Set<string>()
  const recordChanges = (records: MutationRecord[]) =>
    records.forEach(({ type, attributeName }) => changes.add(attributeName ?? type))
  const observer = new MutationObserver(recordChanges)
  return new Promise((resolve) => {
    let remainingChecks = checks
    const checkPosition = () => {
      // Ignores the first changes, because the seek causes them.
      if (remainingChecks === checks - 1 && player)
        observer.observe(player, { subtree: true, childList: true, attributes: true, characterData: true })
      if (remainingChecks-- > 0) return
      video?.removeEventListener('timeupdate', checkPosition)
      recordChanges(observer.takeRecords())
      resolve([...changes])
    }
    video?.addEventListener('seeked', () => video.addEventListener('timeupdate', checkPosition), {
      once: true,
    })
    if (video) video.currentTime = from
  })
}

/** In the page: returns whether the whole episode and the first four seconds of the next one are loaded. */
function isLoaded(): boolean {
  const loadedSeconds = ({ buffered }: HTMLVideoElement) =>
    buffered.length === 0 ? 0 : buffered.end(buffered.length - 1)
  const [shown, next] = document.querySelectorAll<HTMLVideoElement>('[data-player] video')
  if (!shown || !next) return false
  return loadedSeconds(shown) > shown.duration - 0.5 && loadedSeconds(next) > 3.5
}

test.describe('when an episode keeps playing', () => {
  test.use({ playbackSpeed: 'real' })

  test('only the position text changes during playback with hidden controls @sizes', async ({ page }) => {
    await page.goto(await towerUrl(page, 1))
    await expectProgress(page)
    await repeatEpisode(page)
    // Waits until the adjacent player is there too.
    await expect(page.locator('[data-player] video')).toHaveCount(2)
    await expect(controls(page)).toHaveAttribute('data-visible', 'false')
    // The bars of loaded seconds change until everything is loaded.
    await expect.poll(() => page.evaluate(isLoaded)).toBe(true)
    expect(await page.evaluate(changesWhilePlaying, { from: 1, checks: 9 })).toEqual(['aria-valuetext'])
    const pause = page.getByRole('button', { name: 'Pause', exact: true })
    await pause.press('Enter')
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeAttached()
    const seconds = await page
      .locator('video')
      .first()
      .evaluate((video: HTMLVideoElement) => video.currentTime)
    await expect(page.getByText(`0:0${Math.floor(seconds)} / 0:06`)).toBeVisible() // stays
    await expect(page.getByRole('slider', { name: 'Position' })).toHaveValue(String(Math.floor(seconds)))
  })

  test('a swipe that begins before the end of an episode advances by one episode only @screens', async ({
    page,
  }) => {
    await page.goto(await towerUrl(page, 1))
    await expectProgress(page)
    await expect(page.locator('[data-player] video')).toHaveCount(2)
    const devtools = await page.context().newCDPSession(page)
    const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) => {
      await devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: y === undefined ? [] : [{ x: 195, y }],
      })
      await page.evaluate(() => new Promise(requestAnimationFrame))
    }
    const first = page.locator('video').first()
    await touch('touchStart', 700)
    for (const y of [650, 600, 550]) await touch('touchMove', y)
    await first.evaluate((video: HTMLVideoElement) => {
      // On a busy machine the episode has ended by now; a seek would restart it paused.
      if (!video.ended) video.currentTime = video.duration - 0.2
    })
    await expect.poll(() => first.evaluate((video: HTMLVideoElement) => video.ended)).toBe(true)
    for (const y of [450, 350, 250, 150]) await touch('touchMove', y)
    await touch('touchEnd')
    await expectPlaying(page, 2)
    // Episode 2 then plays to its end, because the page loads all of it, not only the preloaded part.
    await expectPlaying(page, 3)
  })
})

test('the volume persists across episodes and visits, and a volume of 0 mutes @desktop @screens', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  const volume = page.getByRole('slider', { name: 'Volume' })
  const readVolumes = () =>
    page
      .locator('[data-player] video')
      .evaluateAll((videos: HTMLVideoElement[]) => videos.map((video) => video.volume))
  const unmute = page.getByRole('button', { name: 'Unmute', exact: true })
  // Hovers over the video first, which shows the controls.
  await page.locator('[data-player]').hover()
  // Browsers allow sound only after user interaction.
  await unmute.click()
  await expect(volume.locator('..')).toHaveCSS('opacity', '1')
  await expect(volume).toHaveValue('100')
  await volume.fill('40')
  await expect.poll(readVolumes).toEqual([0.4, 0.4])
  await page.keyboard.press('n')
  await expectPlaying(page, 2)
  await page.reload()
  await expectProgress(page)
  await expect(volume).toBeAttached()
  await expect.poll(async () => (await readVolumes())[0]).toBe(0.4)
  await unmute.press('Enter')
  await expect(volume).toHaveValue('40')
  await volume.fill('0')
  await unmute.press('Enter')
  await expect(volume).toHaveValue('40')
})
