import { getStudioPlayback } from '#contract/studio/videos.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { towerId } from '#e2e/support/playback-and-payment.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'

test('the preview renews its links before they expire, and plays on when the page refetches its data @sizes', async ({
  page,
}) => {
  await openStudioWithSession(page, 'editor')
  let responseCount = 0
  await page.route(`**${getStudioPlayback.path}*`, async (route) => {
    const response = await route.fetch()
    const { info, ...rest } = (await response.json()) as { info: object }
    // The first links are about to expire.
    const expiring = responseCount === 0 ? { expires_at: new Date(Date.now() + 61_000).toISOString() } : {}
    await route.fulfill({ response, json: { ...rest, info: { ...info, ...expiring } } })
    responseCount++
  })
  await page.goto(`/studio/videos/${await towerId(page)}#preview`)
  const video = page.locator('#preview video')
  const startedAt = 1
  const play = () =>
    video.evaluate(async (element: HTMLVideoElement, seconds) => {
      element.muted = true
      element.loop = true
      element.dataset['opened'] = 'once'
      element.currentTime = seconds
      await element.play()
    }, startedAt)
  // On a busy machine, the renewed links may arrive first and interrupt the start.
  await expect(play).toPass()
  await expect.poll(() => responseCount, { message: 'the links are renewed' }).toBeGreaterThan(1)
  const responsesBefore = responseCount

  await page
    .getByRole('button', { name: /^Move .* up$/ })
    .last()
    .click()
  await expect.poll(() => responseCount, { message: 'the page refetches' }).toBeGreaterThan(responsesBefore)
  const position = () =>
    video.evaluate((element: HTMLVideoElement) => (element.paused ? 0 : element.currentTime))
  const positionBefore = await position()
  await expect.poll(position, { message: 'the video plays on' }).not.toBe(positionBefore)
  await expect.poll(position).toBeGreaterThan(0)
  await expect(video).toHaveAttribute('data-opened', 'once') // stays
})
