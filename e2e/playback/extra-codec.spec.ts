import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectProgress, towerUrl } from '#e2e/support/playback-and-payment.ts'

/**
 * Adds a playlist for an extra codec, `extra.m3u8`, to every master playlist. Both playlists have the same streams,
 * because the tests only check which playlist is requested. @returns an array to which the names of the requested
 * playlists are added
 */
async function offerExtraCodec(page: Page, codec: string): Promise<string[]> {
  const requestedPlaylists: string[] = []
  await page.route(/\/(master|extra)\.m3u8$/, async (route) => {
    const url = route.request().url()
    requestedPlaylists.push(url.replace(/.*\//, ''))
    const response = await route.fetch({ url: url.replace('extra.m3u8', 'master.m3u8') })
    const line = `#EXT-X-SESSION-DATA:DATA-ID="extra.codec",VALUE="${codec}"\n`
    const body = await response.text()
    const isMaster = url.endsWith('master.m3u8')
    await route.fulfill({ response, body: isMaster ? body.replace('#EXTM3U\n', `#EXTM3U\n${line}`) : body })
  })
  return requestedPlaylists
}

/** Chooses a rendition, which requires hls.js. */
async function chooseRendition(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await page.getByRole('dialog').getByText('240p').click()
  await page.keyboard.press('Escape')
  // HTMLMediaElement.HAVE_FUTURE_DATA: hls.js has chosen a playlist and loaded segments.
  const isPlayedByHls = () =>
    page
      .locator('video')
      .first()
      .evaluate((video: HTMLVideoElement) => video.currentSrc.startsWith('blob:') && video.readyState >= 3)
  await expect.poll(isPlayedByHls).toBe(true)
}

test('hls.js uses the playlist with the extra codec if the browser supports it @screens', async ({
  page,
}) => {
  const requestedPlaylists = await offerExtraCodec(page, 'av01.0.01M.08')
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await chooseRendition(page)
  await expectProgress(page)
  expect(requestedPlaylists).toContain('extra.m3u8')
})

test('a browser without support for the extra codec plays the other renditions @screens', async ({
  page,
}) => {
  const requestedPlaylists = await offerExtraCodec(page, 'hvc1.99.0.L63')
  await page.goto(await towerUrl(page, 1))
  await expectProgress(page)
  await chooseRendition(page)
  await expectProgress(page)
  expect(requestedPlaylists).not.toContain('extra.m3u8')
})
