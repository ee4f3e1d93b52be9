import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { partBytes } from '#contract/studio/uploads.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { dropFiles } from '#e2e/support/drop-files.ts'
import { dramas } from '#e2e/support/make-content.ts'
import { expectAccessible } from '#e2e/support/page-quality.ts'
import { preparedSites } from '#e2e/site/site-server.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'

// The tests abort requests and return 429 responses. The browser logs both.
test.use({ bypassCSP: true, allowedConsoleMessages: /net::ERR_|status of 429/ })

/** Returns a test video. */
function film(): Buffer {
  const folder = join(preparedSites().home, 'dramas', 'tower')
  const path = dramas.map(({ slug }) => join(folder, slug, '01.mp4')).find(existsSync)
  return readFileSync(path ?? '')
}

/** Returns a test video that is uploaded in three parts, because it ends with a large empty box. */
function filmOfThreeParts(): Buffer {
  const head = Buffer.from('\0\0\0\0free', 'latin1')
  head.writeUInt32BE(8 + 2 * partBytes)
  return Buffer.concat([film(), head, Buffer.alloc(2 * partBytes)])
}

test('an interrupted upload resumes after a reload, and the draft becomes a published video @desktop', async ({
  page,
}, testInfo) => {
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/videos')
  await page.getByRole('button', { name: 'New video' }).click()
  await page.getByLabel('English title').fill('Brought in by hand')
  await page.getByRole('button', { name: 'Create draft' }).click()

  const contents = {
    'Episode 1.mp4': filmOfThreeParts(),
    '01.en.vtt': 'WEBVTT\n\n00:00.100 --> 00:00.900\nHello\n',
    'E03.en.vtt': 'WEBVTT\n',
  }
  // Writes the files to disk, because the site also identifies a file by its modification time.
  const files = Object.entries(contents).map(([name, content]) => {
    const path = testInfo.outputPath(name)
    writeFileSync(path, content)
    return path
  })
  const drop = () => page.locator('input[type=file][multiple]').setInputFiles(files)
  await drop()
  await expect(page.getByText('No episode for these captions.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Upload 2 files' })).toBeDisabled()
  await page.getByRole('button', { name: 'Skip E03.en.vtt' }).click()
  await expectAccessible(page)

  await page.route(/\/parts\/[12]$/, (route) => route.abort())
  const announcing = /\/api\/studio\/uploads$/
  await page.route(announcing, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: 'Upload 2 files' }).click()
  await expect(page.getByText('You’re offline. The upload resumes automatically.')).toBeVisible()
  await page.route(announcing, (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 429 }) : route.fallback(),
  )
  await expect(page.getByText('Too many requests.')).toBeVisible()
  await page.unroute(announcing)
  // The next attempt may be half a minute later, because the wait doubles with each attempt.
  await expect(page.getByText(/Episode 1\.mp4 · 4\d%/)).toBeVisible({ timeout: 120_000 })
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByText(/Episode 1\.mp4 · 4\d% uploaded/)).toBeVisible()
  await expect(page.getByText('01.en.vtt · uploaded, being checked')).toBeVisible()
  await page.unroute(/\/parts\/[12]$/)
  const sent: string[] = []
  page.on('request', (request) => sent.push(...(/\/parts\/(\d+)$/.exec(request.url())?.slice(1) ?? [])))
  await drop()
  await page.getByRole('button', { name: 'Skip E03.en.vtt' }).click()
  await expect(page.getByText('1 file is already uploaded and won’t be sent again.')).toBeVisible()
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await expect(page.getByText(/Ready · Captions: English/)).toBeVisible()
  expect(sent).toEqual(['1', '2'])
  await expect(page.getByText('Upload complete. You can close this page.')).toBeVisible()
  const cover = page.getByRole('img', { name: 'Cover of Brought in by hand' })
  await expect(cover).toBeVisible()
  const automaticCover = (await cover.getAttribute('src')) ?? ''

  await page.getByRole('button', { name: 'Choose frame' }).click()
  const video = page.locator('dialog video')
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState))
    .toBeGreaterThan(1)
  await page.getByRole('button', { name: 'Use this frame' }).click()
  const brightest = () =>
    page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const dots = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data
      return dots?.reduce((most, part, at) => (at % 4 === 3 ? most : Math.max(most, part)), 0)
    })
  await expect.poll(brightest).toBeGreaterThan(60)
  await page.getByRole('button', { name: 'Use as cover' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(cover).not.toHaveAttribute('src', automaticCover)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Publish now' }).click()
  const link = page.getByRole('link', { name: 'Open page' })
  await page.goto((await link.getAttribute('href')) ?? '')
  await expect(page).toHaveTitle(/Brought in by hand/)
})

test('a folder with a description fills the draft, and keeps manual input @desktop @screens', async ({
  page,
}) => {
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/videos')
  await page.getByRole('button', { name: 'New video' }).click()
  await page.getByLabel('English title').fill('Typed by hand')
  await page.getByRole('button', { name: 'Create draft' }).click()
  const description = `title: { en: Salt, es: Sal }
synopsis: { en: Two sisters. }
category: drama
tags: [sea, sisters]
free_episodes: 5
price: { currency: USD, episode_cents: 77, video_cents: 7.77 }
`
  const picture = await sharp({ create: { width: 90, height: 120, channels: 3, background: '#c04020' } })
    .png()
    .toBuffer()
  const drop = (text: string) =>
    page.locator('input[type=file][multiple]').setInputFiles([
      { name: 'video.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) },
      { name: 'cover.png', mimeType: 'image/png', buffer: picture },
    ])
  await drop(description)
  await expect(page.getByText(/price\.video_cents must be a whole number/)).toBeVisible()
  await drop(description.replace('7.77', '777'))
  await expect(page.getByRole('checkbox', { name: 'Synopsis · English' })).toBeChecked()
  const title = page.getByRole('checkbox', { name: 'Title · English' })
  await expect(title).not.toBeChecked()
  // Nobody has edited these fields, so the import replaces their defaults.
  await expect(
    page.getByText(
      /^(Copied from your previous video|Default values).*: prices, free episodes\. You can change/,
    ),
  ).toBeVisible()
  await expect(page.getByText('(default)')).toHaveCount(2)
  for (const name of ['Free episodes', 'Prices (episode / full series)'])
    await expect(page.getByRole('checkbox', { name })).toBeChecked()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Title' }).last().fill('Maré')
  await page.getByRole('button', { name: 'Import selected' }).click()
  await expect(page.getByRole('img', { name: 'Cover of Typed by hand' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Typed by hand') // stays
  await expect(page.getByLabel('Category')).toHaveValue('drama')
  await expect(page.getByLabel('Free episodes')).toHaveValue('5')
  await expect(page.getByLabel('Episode price')).toHaveValue('0.77')
  await expect(page.getByText(/^(Copied from your previous video|Default values)/)).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'Synopsis' }).first()).toHaveValue('Two sisters.')
  // The import keeps input that was typed in the meantime.
  await expect(page.getByRole('textbox', { name: 'Title' }).last()).toHaveValue('Maré')
  // The old values are shown until the folder has been read again.
  const readAgain = page.waitForResponse((answer) => answer.url().endsWith('/api/studio/video/description'))
  await drop(description.replace('7.77', '777'))
  await (await readAgain).finished()
  await expect(page.getByText(/^Reading /)).toBeHidden()
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Import selected' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Salt')
})

test('files and episode titles of a season are uploaded in one step, and unfinished uploads are discarded in one step @screens @desktop', async ({
  page,
}, testInfo) => {
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/videos')
  await page.getByRole('button', { name: 'New video' }).click()
  await page.getByLabel('English title').fill('A season with titles')
  await page.getByRole('button', { name: 'Create draft' }).click()
  const description = `title: { en: A season with titles }
synopsis: { en: Two sisters. }
free_episodes: 3
price: { currency: USD, episode_cents: 99, video_cents: 999 }
episodes:
  - title: { en: Tide, dy: Ebbe }
  - title: { en: Flood }
  - title: { en: Nowhere }
`
  const store = (name: string, content: Buffer | string) => {
    const path = testInfo.outputPath(name)
    writeFileSync(path, content)
    return path
  }
  const films = ['01.mp4', '02.mp4'].map((name) => store(name, film()))
  const drop = (text: string, more = films) =>
    page.locator('input[type=file][multiple]').setInputFiles([store('video.yaml', text), ...more])
  const announced: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/studio/uploads'))
      announced.push(request.url())
  })
  await page.route(/\/parts\/\d+$/, (route) => route.abort())
  await drop(description)
  await expect(page.getByText('It also has a title for episode 3')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'Episode titles · English' })).toBeChecked()
  await page.getByRole('checkbox', { name: 'Episode titles · Deutsch' }).uncheck()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Upload 2 files' }).click()
  await expect(page.getByText('You’re offline. The upload resumes automatically.')).toBeVisible()
  expect(announced).toHaveLength(1)

  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByRole('button', { name: 'Discard all 2' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Discard all 2' }).click()
  await expect(page.getByText('02.mp4')).toBeHidden()

  await page.unroute(/\/parts\/\d+$/)
  await drop(description)
  await page.getByRole('checkbox', { name: 'Episode titles · Deutsch' }).uncheck()
  await page.getByRole('button', { name: 'Upload 2 files' }).click()
  const episode = (number: number) => page.locator('#episodes ol > li').nth(number - 1)
  await expect(episode(1)).toContainText('Tide')
  await expect(episode(2)).toContainText('Flood')

  await drop(description.replace('Tide', 'High tide'), [])
  const title = page.getByRole('checkbox', { name: 'Title of episode 1 · English' })
  await expect(title).not.toBeChecked()
  await title.check()
  await expect(page.getByRole('checkbox', { name: 'Episode titles · Deutsch' })).toBeChecked()
  await page.getByRole('button', { name: 'Import selected' }).click()
  await expect(episode(1)).toContainText('High tide')
})

// The title of this test must be ASCII: it names the output folder, and Chromium without a locale opens only such
// paths.
test('files can be dropped anywhere on the page of their video; a file dropped on another page does not replace the studio @desktop', async ({
  page,
}, testInfo) => {
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/videos')
  const captions = testInfo.outputPath('02.en.vtt')
  writeFileSync(captions, 'WEBVTT\n')
  await dropFiles(page.getByRole('heading', { level: 1 }), [captions])
  await page.getByRole('button', { name: 'New video' }).click()
  await expect(page.getByLabel('English title')).toBeFocused()
  await page.keyboard.type('Dropped on')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Still missing: episodes, cover')).toBeVisible()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await dropFiles(page.getByRole('heading', { level: 1 }), [captions])
  await expect(page.getByText('No episode for these captions.')).toBeVisible()
})
