import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { APIResponse, Page, TestInfo } from '@playwright/test'
import sharp from 'sharp'
import type { ResultOf } from '#contract/endpoint.ts'
import { listFailedUploads } from '#contract/studio/system.ts'
import { partBytes } from '#contract/studio/uploads.ts'
import { dropFiles } from '#e2e/support/drop-files.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { packZip } from '#e2e/support/pack-zip.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { createDraft, openStudioWithSession } from '#e2e/support/studio.ts'
import { tinyVideo } from '#e2e/support/tiny-video.ts'

// Tests switch the network off, and axe may request style sheets meanwhile.
test.use({ bypassCSP: true, allowedConsoleMessages: /net::ERR_|^Couldn't load preload assets/ })

const captions = 'WEBVTT\n\n00:00.100 --> 00:00.900\nHello\n'

/** Opens the page of a new draft. */
async function openDraft(page: Page, title: string): Promise<void> {
  await openStudioWithSession(page, 'editor')
  await page.goto(`/studio/videos/${await createDraft(page, title)}`)
  await expect(page.getByText('No episodes yet.').first()).toBeVisible()
}

/** Writes files to disk. @returns their folder */
function writeFiles(info: TestInfo, name: string, files: Record<string, Uint8Array | string>): string {
  const folder = info.outputPath(name)
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, content)
  }
  return folder
}

const rowsOf = (page: Page) => page.locator('#episodes ol > li')
const headingOf = (page: Page) => page.getByRole('heading', { level: 1 })
const uploadFiles = (page: Page, count: number) =>
  page.getByRole('button', { name: `Upload ${count} files` }).click()

test('a phone offers to choose files instead of dropping them', async ({ page }) => {
  await openDraft(page, 'Chosen by touch')
  await expect(page.getByText('Choose the files, a folder or a ZIP')).toBeVisible()
  await expect(page.getByText(/^Drop /)).toHaveCount(0)
})

test('a tablet with a trackpad offers to drop files', async ({ page }) => {
  // Chromium cannot emulate a trackpad beside a touch screen.
  await page.addInitScript(() => {
    const original = window.matchMedia.bind(window)
    window.matchMedia = (query) => original(query === '(any-pointer: fine)' ? 'all' : query)
  })
  await openDraft(page, 'Dropped on a tablet')
  await expect(page.getByText('Drop a folder, several files or a ZIP')).toBeVisible()
})

test('a dropped folder becomes a season with the numbers and captions of its file names, and missing episodes are reported @desktop', async ({
  page,
}, info) => {
  await openDraft(page, 'Out of a folder')
  const film = await tinyVideo()
  const folder = writeFiles(info, 'season', {
    'Salt S01E10.mp4': film,
    'Salt S01E02.mp4': film,
    'Salt S01E01.mp4': film,
    'captions/Salt S01E02.de.vtt': captions,
    'captions/Salt S01E02.en.srt': '1\n00:00:00,100 --> 00:00:00,900\nHello\n',
    'notes.txt': 'Nothing of it.',
  })
  await dropFiles(headingOf(page), [folder])
  await expect(page.getByText('3 videos: episodes 1–2, 10.')).toBeVisible()
  await expect(page.getByText('2 caption files: English, Deutsch.')).toBeVisible()
  await expect(page.getByText('Missing episodes: 3–9')).toBeVisible()
  await expect(page.getByText('1 other file isn’t needed.')).toBeVisible()
  await expect(page.getByText('season/notes.txt')).toBeVisible()
  const table = page.getByRole('table', { name: 'Upload preview' })
  await expect(table.getByRole('row', { name: /captions\/Salt S01E02\.de\.vtt/ })).toBeVisible()
  const episodeNumbers = () =>
    table
      .getByLabel(/^Episode number of/)
      .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value))
  await expect.poll(episodeNumbers).toEqual(['1', '2', '2', '2', '10'])
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.getByLabel('Episode number of season/Salt S01E10.mp4').fill('3')
  await expect(page.getByText('Missing episodes')).toHaveCount(0)
  await uploadFiles(page, 5)
  await expect(rowsOf(page)).toHaveCount(3)
  await expect(rowsOf(page).nth(1)).toContainText('Ready · Captions: English, Deutsch')
  await expect(rowsOf(page).nth(2)).toContainText('Ready')
  await expectAccessible(page)
})

test('a folder can also be chosen with a button @desktop', async ({ page }, info) => {
  await openDraft(page, 'Out of a folder that was chosen')
  const folder = writeFiles(info, 'chosen', { '01.mp4': await tinyVideo(), '01.en.vtt': captions })
  const fileChooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose folder' }).click()
  await (await fileChooser).setFiles(folder)
  await expect(page.getByRole('row', { name: /chosen\/01\.mp4/ })).toBeVisible()
  await expect(page.getByText('1 video: episode 1.')).toBeVisible()
  await expect(page.getByText('1 caption file: English.')).toBeVisible()
})

test('a dropped ZIP of a season is unpacked and its files are uploaded; an unreadable ZIP is reported @desktop', async ({
  page,
}, info) => {
  await openDraft(page, 'Out of a ZIP')
  const film = await tinyVideo()
  const zip = await packZip(
    Object.entries({
      'Salt/Folge 1.mp4': film,
      'Salt/Folge 2.mp4': film,
      'Salt/Folge 2.de.vtt': Buffer.from(captions),
      '__MACOSX/Salt/._Folge 1.mp4': Buffer.from('of a Mac'),
    }).map(([name, content]) => ({ name, content, compressed: true })),
  )
  const folder = writeFiles(info, 'zips', { 'season.zip': zip, 'half.zip': zip.subarray(0, 900) })
  await dropFiles(headingOf(page), [join(folder, 'half.zip')])
  await expect(page.getByText('This can’t be read.')).toBeVisible()
  await dropFiles(headingOf(page), [join(folder, 'season.zip')])
  await expect(page.getByText('2 videos: episodes 1–2.')).toBeVisible()
  await expect(page.getByText('._Folge 1.mp4')).toHaveCount(0)
  await expectAccessible(page)
  await uploadFiles(page, 3)
  await expect(rowsOf(page).first()).toContainText('Ready')
  await expect(rowsOf(page).nth(1)).toContainText('Ready · Captions: Deutsch')
})

/** Returns the part numbers of upload URLs. */
const partsOf = (urls: Set<string>) => [...urls].map((url) => url.slice(url.lastIndexOf('/') + 1)).toSorted()

test('uploads resume automatically after a network loss, and after a reload once the files are dropped again @desktop', async ({
  page,
  context,
}, info) => {
  await openDraft(page, 'Through bad weather')
  // An empty box at the end of the file makes the upload four parts long.
  const box = Buffer.from('\0\0\0\0free', 'latin1')
  box.writeUInt32BE(8 + 3 * partBytes)
  const film = Buffer.concat([await tinyVideo(), box, Buffer.alloc(3 * partBytes)])
  const folder = writeFiles(info, 'large', { '01.mp4': film, '02.mp4': await tinyVideo() })
  // Counts parts with a response only, because a part whose response is lost is sent again.
  const arrived = new Set<string>()
  page.on('response', (response) => {
    if (/\/parts\/\d+$/.test(response.url()) && response.ok()) arrived.add(response.url())
  })
  // The page waits for this request. On a busy machine, `setOffline` can wait for the page. So the request fails at
  // once, and each retry fails until the page is offline.
  let offline: 'no' | 'soon' | 'yes' = 'no'
  await page.route(/\/parts\/1$/, async (route) => {
    if (offline === 'yes') return route.fallback()
    if (offline === 'no') {
      offline = 'soon'
      void context.setOffline(true).then(() => (offline = 'yes'))
    }
    await route.abort('internetdisconnected')
  })
  // The last part never arrives, so the page is reloaded during the upload.
  await page.route(/\/parts\/3$/, () => {})
  await dropFiles(headingOf(page), [folder])
  await uploadFiles(page, 2)
  await expect(page.getByText('You’re offline. The upload resumes automatically.')).toBeVisible()
  await expect(page.getByText(/01\.mp4 · 33%/)).toBeVisible()
  await expectAccessible(page)
  await context.setOffline(false)
  await expect(page.getByText(/01\.mp4 · 99%/)).toBeVisible()
  await expect(page.getByText('You’re offline.')).toHaveCount(0)
  await expect(rowsOf(page).first()).toContainText('Ready')
  // The progress counts a completely sent part before its response arrives.
  await expect.poll(() => partsOf(arrived)).toEqual(['0', '0', '1', '2'])
  arrived.clear()

  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByText(/01\.mp4 · \d\d% uploaded/)).toBeVisible()
  await expectAccessible(page)
  await page.unroute(/\/parts\/3$/)
  await dropFiles(headingOf(page), [folder])
  await expect(page.getByText('1 file is already uploaded and won’t be sent again.')).toBeVisible()
  await expect(page.getByRole('row', { name: /02\.mp4/ })).toContainText(
    'Already uploaded: won’t be sent again',
  )
  await expect(page.getByText('Replaces the file of an existing episode')).toHaveCount(0)
  await expectNoOverflow(page)
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await expect(rowsOf(page)).toHaveCount(2)
  await expect(rowsOf(page).first()).toContainText('Ready')
  await expect(page.getByText('Upload complete. You can close this page.')).toBeVisible()
  await expect.poll(() => partsOf(arrived)).toEqual(['3'])

  await dropFiles(headingOf(page), [folder])
  await expect(page.getByText('2 files are already uploaded and won’t be sent again.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Upload \d|Import selected/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Cancel' }).click()
})

test('paused uploads show the remaining files, do not count discarded files, and resume by one press @desktop', async ({
  page,
}, info) => {
  await openDraft(page, 'Stopped half way')
  const film = await tinyVideo()
  const names = ['01.mp4', '02.mp4', '03.mp4', '04.mp4']
  const folder = writeFiles(info, 'season', Object.fromEntries(names.map((name) => [name, film])))
  // While `isSlow`, only one file arrives, and the list of unfinished uploads stays as it was when the files were
  // announced.
  let firstUploadList: string | undefined
  let isSlow = true
  let sent = 0
  page.on('response', async (response) => {
    if (response.request().method() === 'POST' && response.url().endsWith('/studio/uploads'))
      firstUploadList ??= await response.text()
  })
  await page.route(/\/studio\/uploads\?/, (route) =>
    isSlow && firstUploadList
      ? route.fulfill({ contentType: 'application/json', body: firstUploadList })
      : route.continue(),
  )
  await page.route(/\/parts\/0$/, (route) => (sent++ === 0 || !isSlow ? route.continue() : undefined))
  await dropFiles(headingOf(page), [folder])
  const listed = page.waitForResponse(
    async (response) =>
      /\/studio\/uploads\?/.test(response.url()) &&
      (await response.text().catch(() => '')).includes('04.mp4'),
  )
  await uploadFiles(page, 4)
  await expect(page.getByText(/^1 of 4 files/)).toBeVisible()
  // The list of unfinished uploads is fetched once the first file has arrived.
  await listed
  await expect(page.getByText('uploads are incomplete')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Discard/ })).toHaveCount(0)

  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(page.getByText(/^1 of 4 files .* · Paused: 3 files left\.$/)).toBeVisible()
  await expect(page.getByText('Upload complete')).toHaveCount(0)
  await expect(page.getByText(/^0\d\.mp4 · 0% uploaded/)).toHaveCount(3)
  // The page still has the files.
  await expect(page.getByText('Add the same files again')).toHaveCount(0)
  await expectAccessible(page)
  await expectNoOverflow(page)

  isSlow = false
  await page.getByRole('button', { name: 'Discard 04.mp4' }).click()
  await expect(page.getByText(/^1 of 3 files .* · Paused: 2 files left\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Resume upload' }).click()
  await expect(page.getByText('Upload complete. You can close this page.')).toBeVisible()
  await expect(rowsOf(page)).toHaveCount(3)
})

test('broken files show readable reasons, and can be retried, replaced or dismissed; the other files are converted @desktop', async ({
  page,
}, info) => {
  await openDraft(page, 'With a broken file')
  const film = await tinyVideo()
  const folder = writeFiles(info, 'broken', {
    '01.mp4': film,
    '02.mp4': film.subarray(0, film.length / 2),
    '03.mp4': 'This is no film.',
  })
  await dropFiles(headingOf(page), [folder])
  await uploadFiles(page, 3)
  const broken = rowsOf(page).nth(1)
  await expect(broken).toContainText(/02\.mp4 is cut off after 0\.\d s of 1 s/)
  await expect(page.getByText(/^03\.mp4 /)).toContainText('text')
  await expect(rowsOf(page).first()).toContainText('Ready')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.getByRole('button', { name: 'Dismiss 03.mp4' }).click()
  await expect(page.getByText(/^03\.mp4 /)).toHaveCount(0)

  const retryResponse = page.waitForResponse(/\/episode\/retry$/)
  await broken.getByRole('button', { name: 'Try again' }).click()
  expect((await retryResponse).ok()).toBe(true)
  await retryOnSystemPage(page)
  writeFileSync(join(folder, '02.mp4'), film)
  await dropFiles(headingOf(page), [join(folder, '02.mp4')])
  await expect(page.getByText('Replaces the file of an existing episode')).toBeVisible()
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await expect(broken).toContainText('Ready')
  await expect(broken).not.toContainText('cut off')
})

/** Returns when a file failed, from the list of failed files; an empty text if it is not listed. */
async function failedAt(response: Pick<APIResponse, 'text'>, name: string): Promise<string> {
  // A refetch cancels a request whose body has not arrived.
  const body = await response.text().catch(() => '')
  if (body === '') return ''
  const { data } = JSON.parse(body) as { data: ResultOf<typeof listFailedUploads> }
  return data.list.find(({ source_name }) => source_name === name)?.failed_at ?? ''
}

/**
 * Waits until a file that is being retried has failed again, retries it on the system page, and expects that its new
 * failure is listed without a reload.
 */
async function retryOnSystemPage(page: Page): Promise<void> {
  const systemPage = await page.context().newPage()
  await systemPage.goto('/studio/system')
  const row = systemPage.getByRole('row').filter({ hasText: '02.mp4' })
  await expect(row).toContainText('is cut off')
  const before = await failedAt(await page.request.get(listFailedUploads.path), '02.mp4')
  // The row of the old failure may be visible until the new failure is listed.
  const failedAgain = systemPage.waitForResponse(
    async (response) =>
      response.url().includes(listFailedUploads.path) && (await failedAt(response, '02.mp4')) > before,
  )
  await row.getByRole('button', { name: 'Retry' }).click()
  await expect(systemPage.getByText('Processing 02.mp4 again.')).toBeVisible()
  await failedAgain
  await expect(row).toContainText('is cut off')
  await systemPage.close()
}

test('a folder provides a default cover, and a cover that only viewers of one language see @desktop', async ({
  page,
  browser,
}, info) => {
  const title = `Covers ${crypto.randomUUID().slice(0, 8)}`
  await openDraft(page, title)
  const makeImage = (background: string) =>
    sharp({ create: { width: 600, height: 800, channels: 3, background } })
      .png()
      .toBuffer()
  const folder = writeFiles(info, 'covers', {
    '01.mp4': await tinyVideo(),
    'cover.png': await makeImage('#e02010'),
    'cover.de.png': await makeImage('#1020e0'),
    'cover.it.png': 'Of no language here.',
  })
  await dropFiles(headingOf(page), [folder])
  await expect(page.getByRole('checkbox', { name: 'Cover', exact: true })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'Cover · Deutsch' })).toBeChecked()
  await expect(page.getByText('covers/cover.it.png')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await expect(page.getByRole('img', { name: 'Cover for Deutsch' })).toBeVisible()
  await expect(rowsOf(page).first()).toContainText('Ready')
  await page.getByRole('button', { name: 'Publish now' }).click()
  const link = page.getByRole('link', { name: 'Open page' })
  await expect(link).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  const coverUrlIn = async (locale: string) => {
    const viewer = await (await browser.newContext({ locale })).newPage()
    await viewer.goto(`/searchDetail/${encodeURIComponent(title)}`)
    const card = viewer.getByRole('main').getByRole('link').filter({ hasText: title })
    const cover = card.locator('img').first()
    // An image has no source until it is near the viewport.
    await expect(cover).toHaveAttribute('src')
    const address = await cover.getAttribute('src')
    await viewer.context().close()
    return address
  }
  const defaultCover = await page.getByRole('img', { name: `Cover of ${title}` }).getAttribute('src')
  const germanCover = await page.getByRole('img', { name: 'Cover for Deutsch' }).getAttribute('src')
  expect(await coverUrlIn('de-DE')).toBe(germanCover)
  expect(await coverUrlIn('en-US')).toBe(defaultCover)
  await page.getByRole('button', { name: 'Remove the cover for Deutsch' }).click()
  await expect(page.getByRole('img', { name: 'Cover for Deutsch' })).toHaveCount(0)
})
