import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectMoving, expectPlaying, towerUrl } from './watching.ts'

async function openTower(page: Page): Promise<void> {
  await page.goto(await towerUrl(page, 1))
  await expectMoving(page)
}

const player = (page: Page) => page.locator('[data-player]')

async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()])
  if (!a || !b) throw new Error('not on screen')
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

test('one notch of a mouse wheel changes the episode, by 100 px and by 300 @desktop', async ({ page }) => {
  await openTower(page)
  await player(page).hover()
  await page.mouse.wheel(0, 100)
  await expectPlaying(page, 2)
  await page.mouse.wheel(0, 300)
  await expectPlaying(page, 3)
  await page.mouse.wheel(0, -100)
  await expectPlaying(page, 2)
})

test('nothing in the player covers anything else in a low window @phone', async ({ page }) => {
  await openTower(page)
  const button = (name: string) => player(page).getByRole('button', { name, exact: true })
  const title = player(page).getByText('The Test Tower').first()
  const rightOfTitle = () =>
    title.evaluate((element) => {
      const words = document.createRange()
      words.selectNodeContents(element)
      return words.getBoundingClientRect().right
    })
  for (const viewport of [
    { width: 844, height: 390 },
    { width: 720, height: 450 },
    { width: 640, height: 360 },
  ]) {
    await page.setViewportSize(viewport)
    await expect.poll(() => overlap(button('Settings'), button('Add to favorites'))).toBe(false)
    for (const name of ['Add to favorites', 'Share', 'Captions'])
      expect((await button(name).boundingBox())?.x, name).toBeGreaterThan(await rightOfTitle())
    // In percent from above; a caption of two lines takes 60 px.
    const line = () =>
      page.evaluate(() => {
        const [track] = document.querySelector<HTMLVideoElement>('[data-player] video')?.textTracks ?? []
        const [cue] = track?.cues ?? []
        return cue instanceof VTTCue ? Number(cue.line) : 100
      })
    const top = (await title.boundingBox())?.y ?? 0
    await expect.poll(async () => (await line()) * viewport.height).toBeLessThanOrEqual(100 * (top - 60))
  }
})

test('a window of another height shows the same episode @desktop', async ({ page }) => {
  await page.goto(await towerUrl(page, 6))
  const offer = page.getByRole('region', { name: 'Episode 6 is locked' })
  for (const height of [900, 500, 1100, 400]) {
    await page.setViewportSize({ width: 1280, height })
    await expect(offer).toBeInViewport({ ratio: 0.9 })
    await expect(page).toHaveURL(/episode=6$/)
  }
})

test('a touch on an episode that began without sound turns the sound on @phone', async ({ page }) => {
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
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Mute', exact: true })).toBeVisible()
})

test('the way back on phones leads to the list that the drama was found in @phone', async ({ page }) => {
  await page.goto('/searchDetail/tower')
  await page.getByRole('link', { name: /The Test Tower/ }).click()
  await expectMoving(page)
  await player(page).getByRole('link', { name: 'Back' }).click()
  await expect(page).toHaveURL(/\/searchDetail\/tower$/)
  await page.goto(await towerUrl(page, 1))
  await player(page).getByRole('link', { name: 'Home' }).click()
  await expect(page).toHaveURL(/:\d+\/$/)
})

test('an upright rendition is named by its shorter side, and not by its height @phone', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('player', JSON.stringify({ quality: 360 })))
  await openTower(page)
  await player(page).getByRole('button', { name: 'Settings' }).click()
  const sheet = page.getByRole('dialog', { name: 'Settings' })
  await expect(sheet.getByRole('radio', { name: '360p' })).toBeChecked()
  await expect(sheet.getByText('640p')).toHaveCount(0)
})
