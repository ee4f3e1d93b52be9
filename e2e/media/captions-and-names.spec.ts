import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page, TestInfo } from '@playwright/test'
import type { PlayableEpisode } from '#contract/media.ts'
import { dropFiles } from '#e2e/support/drop-files.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { createDraft, openStudioWithSession, postToStudio } from '#e2e/support/studio.ts'
import { tinyVideo } from '#e2e/support/tiny-video.ts'
import { describe, episodesOf, findVideo, importFolder, conversionTimeoutMs } from './import-films.ts'

test.use({ site: { template: 'door', withFakeServices: false, settings: {} } })

/** A caption file of an episode, and the texts that the browser should show. */
interface CaptionFile {
  name: string
  content: string | Buffer
  episode: number
  language: string
  shown: string[]
}

const captionFiles: readonly CaptionFile[] = [
  {
    name: 'S01E01.en.srt',
    content: '1\n00:00:00,000 --> 00:00:00,900\nI <3 you & a lot more\nsecond line stays\n',
    episode: 1,
    language: 'en',
    shown: ['I <3 you & a lot more\nsecond line stays'],
  },
  {
    name: 'Episode 2.de.srt',
    content: '1\n00:00:00,000 --> 00:00:00,900\n{\\an8}<font color="#ffff00">Ganz oben</font>\n',
    episode: 2,
    language: 'dy',
    shown: ['Ganz oben'],
  },
  {
    name: '03.pt-BR.vtt',
    content:
      'WEBVTT\nKind: captions\n\n00:00.100 --> 00:00.300 align:start\n \noi<00:00.200><c> você</c>\n\n' +
      '00:00.300 --> 00:00.310\noi você\n \n\n00:00.310 --> 00:00.900\noi você\nmeu amigo\n',
    episode: 3,
    language: 'pt',
    shown: [' \noi você', 'oi você\n ', 'oi você\nmeu amigo'],
  },
  {
    name: 'subs/03.spa.srt',
    content:
      '1\n00:00:00,000 --> 00:00:00,400\nUno\n2\n00:00:00,400 --> 00:00:00,900\nDos\n3\n00:00:0x,900 --> 00:00:01,000\nTres\n',
    episode: 3,
    language: 'es',
    shown: ['Uno', 'Dos'],
  },
  {
    name: '03.fr.vtt',
    content: Buffer.from('\uFEFFWEBVTT\n\n00:00.000 --> 00:00.900\nÀ bientôt\n', 'utf16le'),
    episode: 3,
    language: 'fy',
    shown: ['À bientôt'],
  },
  {
    name: '03.en.sdh.vtt',
    content:
      'WEBVTT\n\n00:00.000 --> 00:00.900\nFIRST SPEAKER\n\n00:00.100 --> 00:00.900\n<b>SECOND</b> ONE\n',
    episode: 3,
    language: 'en',
    shown: ['FIRST SPEAKER', 'SECOND ONE'],
  },
]
const films = ['S01E01.mp4', 'Episode 2.mp4', '03.mp4']
const cover = 'cover.heic'
/** The first bytes of a HEIC file, as phones write them. They show the site that it does not accept the format. */
const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic')])

test('the browser reads captions of every format and kind of file name, imported on the command line and in the studio', async ({
  page,
}, info) => {
  const files = await writeFiles(info)
  const byCommand = await importByCommand(info, files)
  const byStudio = await importByStudio(page, files)
  const expected = captionFiles.map(({ episode, language, shown }) => [`${episode} ${language}`, shown])
  for (const videoId of [byCommand, byStudio])
    expect(await captionsOf(page, videoId)).toEqual(Object.fromEntries(expected))
})

async function writeFiles(info: TestInfo): Promise<string> {
  const folder = info.outputPath('season')
  mkdirSync(folder, { recursive: true })
  for (const name of films) writeFileSync(join(folder, name), await tinyVideo())
  for (const { name, content } of captionFiles) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  writeFileSync(join(folder, cover), heic)
  return folder
}

/** Imports the files with the command line. @returns the video's id */
async function importByCommand(info: TestInfo, files: string): Promise<string> {
  const folder = info.outputPath('dramas/named-by-command')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'video.yaml'), describe('Named by command'))
  cpSync(files, folder, { recursive: true })
  const output = await importFolder(folder)
  // The output lists the ignored cover once, with the reason.
  expect(output.split('\n').filter((line) => line.includes('named-by-command/cover'))).toEqual([
    expect.stringContaining(`named-by-command/${cover} `),
  ])
  expect(output).toMatch(/cover\.heic.*(JPEG|PNG)/)
  expect(output).toMatch(/subs\/03\.spa\.srt has captions in Spanish whose times can’t be used/)
  return findVideo('Named by command')
}

/** Uploads the files in the studio. @returns the video's id */
async function importByStudio(page: Page, files: string): Promise<string> {
  await openStudioWithSession(page, 'editor')
  const id = await createDraft(page, 'Named by studio')
  await postToStudio(page, 'video/edit', { id, free_episodes: 50 })
  await page.goto(`/studio/videos/${id}`)
  await expect(page.getByText('No episodes yet.').first()).toBeVisible()
  await dropFiles(page.getByRole('heading', { level: 1 }), [files])
  await expect(page.getByText('3 videos: episodes 1–3.')).toBeVisible()
  const upload = page.getByRole('button', { name: `Upload ${films.length + captionFiles.length} files` })
  await upload.click()
  // The error of the cover is shown, and the videos are uploaded without the cover.
  await expect(page.getByText('Use JPEG, PNG, WebP or AVIF.')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'Cover' })).not.toBeChecked()
  await upload.click()
  await expect(page.locator('#episodes ol > li')).toHaveCount(films.length, { timeout: conversionTimeoutMs })
  const third = page.locator('#episodes ol > li').nth(2)
  await expect(third).toContainText('03.mp4 has captions in Spanish whose times can’t be used', {
    timeout: conversionTimeoutMs,
  })
  await expect(page.getByText('Some files are used only in part')).toBeVisible()
  await postToStudio(page, 'video/publish', { id })
  await expect(third).toContainText('Captions: ', { timeout: conversionTimeoutMs })
  return id
}

/** Returns the text of the captions of all episodes in the browser, by number and language. */
async function captionsOf(page: Page, videoId: string): Promise<Record<string, string[]>> {
  const read: Record<string, string[]> = {}
  for (const { id, number } of await episodesOf(page, videoId)) {
    await page.goto(`/videos/${videoId}?episode=${number}`)
    const answer = await page.request.get(`/api/video/episode?episode_id=${id}`)
    const { info } = (await answer.json()) as { info: PlayableEpisode }
    for (const { lang, url } of info.playback.captions)
      read[`${number} ${lang}`] = await page.evaluate(readTrack, url)
  }
  return read
}

/** In the page: returns the text of each caption of a file. */
async function readTrack(src: string): Promise<string[]> {
  const video = document.createElement('video')
  const track = document.createElement('track')
  track.src = src
  video.append(track)
  track.track.mode = 'hidden'
  await new Promise((resolve) => track.addEventListener('load', resolve, { once: true }))
  return [...(track.track.cues ?? [])].map((cue) =>
    cue instanceof VTTCue ? (cue.getCueAsHTML().textContent ?? '') : '',
  )
}
