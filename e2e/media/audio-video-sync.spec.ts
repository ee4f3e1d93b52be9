import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page, TestInfo } from '@playwright/test'
import type { Episode } from '#contract/media.ts'
import { dropFiles } from '#e2e/support/drop-files.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { brightnessThreshold, flashFramesOf } from '#server/testing/media/flash-and-beep.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { createDraft, openStudioWithSession, postToStudio } from '#e2e/support/studio.ts'
import { describe, episodesOf, findVideo, importFolder, conversionTimeoutMs } from './import-films.ts'
import { filmsOf, flashingFilms, plainFilm, type FlashingFilm } from './flashing-films.ts'
import { coloursOf, filmBeepsOf, lightsOf } from './measure-film.ts'

/** The allowed distance between two times, in seconds. */
const maxDistance = 0.05
/** The allowed difference between two values of a colour channel, which has 256 values. */
const maxDifference = 4
/**
 * The allowed difference of durations, in seconds. An audio encoder may make a recording longer by up to one packet.
 */
const maxDurationDifference = 0.1
const playingMs = 180_000
/** The converted renditions of a video, and its playback in a browser. */
interface PlaybackResult {
  /** For each rendition: the times of bright frames and of flashes. */
  lights: { bright: number[]; flashes: number[] }[]
  beeps: number[]
  colours: number[][]
  /** On screen: the times of flashes and of bright frames, the colour of the middle frame, and the end time. */
  shown: { flashes: number[]; bright: number[]; colour: number[]; endedAt: number }
}

test.use({ site: { template: 'door', withFakeServices: false, settings: {} }, playbackSpeed: 'real' })

test('videos of every kind, imported by the command line and by the studio, play to the end with correct timing and colours', async ({
  page,
  browser,
}, info) => {
  const filmsFolder = process.env['MEDIA_FILMS']
  const films = filmsFolder === undefined ? flashingFilms : filmsOf(filmsFolder, filmsIn(filmsFolder))
  const files = writeFilms(info, films)
  const byCommand = await importByCommand(info, films, files)
  // Both methods accept and refuse the same videos.
  const acceptedCount = (await episodesOf(page, byCommand)).length
  const byStudio = await importByStudio(page, films, { files, acceptedCount })
  const problems: string[] = []
  for (const [method, videoId] of [
    ['command line', byCommand],
    ['studio', byStudio],
  ] as const) {
    const episodes = await episodesOf(page, videoId)
    const results = await playAll(browser, videoId, episodes)
    for (const [at, film] of films.entries()) {
      const result = results.get(at + 1)
      const faults = result
        ? faultsOf(film, result, film.colour ? await colourOfReference(page, film.colour) : [])
        : film.refusal
          ? []
          : ['was refused']
      console.log(
        [film.kind, method, result ? describeResult(result) : 'refused', faults.join('; ') || 'ok'].join(
          ' | ',
        ),
      )
      problems.push(...faults.map((fault) => `${film.kind}, ${method}: ${fault}`))
    }
  }
  expect(problems).toEqual([])
})

const filmsIn = (folder: string) =>
  readdirSync(folder).filter((name) => /\.(mp4|mkv|ts|webm|mov)$/.test(name))
const nameOf = ({ extension }: FlashingFilm, at: number) => `${String(at + 1).padStart(2, '0')}.${extension}`

function writeFilms(info: TestInfo, films: readonly FlashingFilm[]): string {
  const folder = info.outputPath('films')
  mkdirSync(folder, { recursive: true })
  for (const [at, film] of films.entries()) film.make(join(folder, nameOf(film, at)))
  return folder
}

/** Imports the videos with the command line. @returns the video's id */
async function importByCommand(
  info: TestInfo,
  films: readonly FlashingFilm[],
  files: string,
): Promise<string> {
  const folder = info.outputPath('dramas/by-command')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'video.yaml'), describe('By command'))
  for (const [at, film] of films.entries())
    copyFileSync(join(files, nameOf(film, at)), join(folder, nameOf(film, at)))
  const output = await importFolder(folder)
  for (const { refusal } of films) if (refusal) expect(output).toMatch(refusal)
  return findVideo('By command')
}

/** Returns the colour that the browser shows for a reference video that the site did not convert. */
async function colourOfReference(page: Page, colour: readonly number[]): Promise<number[]> {
  const source = `data:video/mp4;base64,${plainFilm(colour).toString('base64')}`
  return page.evaluate(async (src) => {
    const video = document.createElement('video')
    Object.assign(video, { src, muted: true })
    document.body.append(video)
    await video.play()
    await new Promise((resolve) => video.requestVideoFrameCallback(resolve))
    const canvas = new OffscreenCanvas(32, 32).getContext('2d')
    canvas?.drawImage(video, 0, 0, 32, 32)
    video.remove()
    return [...(canvas?.getImageData(16, 16, 1, 1).data ?? [])].slice(0, 3)
  }, source)
}

/** Drops the videos on the page of a draft, and publishes the draft. @returns the draft's id */
async function importByStudio(
  page: Page,
  films: readonly FlashingFilm[],
  { files, acceptedCount }: { files: string; acceptedCount: number },
): Promise<string> {
  await openStudioWithSession(page, 'editor')
  const id = await createDraft(page, 'By studio')
  await postToStudio(page, 'video/edit', { id, free_episodes: 50 })
  await page.goto(`/studio/videos/${id}`)
  await expect(page.getByText('No episodes yet.').first()).toBeVisible()
  await dropFiles(
    page.getByRole('heading', { level: 1 }),
    films.map((film, at) => join(files, nameOf(film, at))),
  )
  await page.getByRole('button', { name: `Upload ${films.length} files` }).click()
  await expect(page.locator('#episodes ol > li')).toHaveCount(acceptedCount, { timeout: conversionTimeoutMs })
  for (const { refusal } of films) if (refusal) await expect(page.getByText(refusal).first()).toBeVisible()
  await postToStudio(page, 'video/publish', { id })
  await page.goto('about:blank')
  return id
}

/** Plays episodes to their ends, a few at a time. @returns the results by number */
async function playAll(
  browser: Browser,
  videoId: string,
  episodes: readonly Episode[],
): Promise<Map<number, PlaybackResult>> {
  const results = new Map<number, PlaybackResult>()
  const queue = [...episodes]
  const playQueue = async () => {
    const context = await browser.newContext({ baseURL: siteUrl, serviceWorkers: 'block' })
    for (let next = queue.shift(); next; next = queue.shift())
      results.set(next.number, await play(context, `/videos/${videoId}?episode=${next.number}`, next.id))
    await context.close()
  }
  await Promise.all([playQueue(), playQueue()])
  return results
}

declare global {
  interface Window {
    recordedFrames: { at: number; colour: number[] }[]
    endedAt?: number
  }
}

async function play(context: BrowserContext, address: string, episodeId: string): Promise<PlaybackResult> {
  const page = await context.newPage()
  await page.addInitScript(watchFirstVideo)
  await page.goto(address)
  const ended = await page.waitForFunction(() => window.endedAt, undefined, { timeout: playingMs })
  const endedAt = (await ended.jsonValue()) ?? 0
  const frames = await page.evaluate(() => window.recordedFrames)
  const answer = await page.request.get(`/api/video/episode?episode_id=${episodeId}`)
  const { info } = (await answer.json()) as { info: { playback: { hls_url: string } } }
  await page.close()
  const folder = join(currentSite().dataDir, 'storage/media', info.playback.hls_url.split('/').at(-2) ?? '')
  const grey = frames.map(({ colour }) => colour.reduce((sum, part) => sum + part / 3, 0))
  return {
    lights: lightsOf(folder),
    beeps: filmBeepsOf(folder),
    colours: coloursOf(folder),
    shown: {
      flashes: flashFramesOf(grey).map((at) => frames[at]?.at ?? 0),
      bright: frames.filter((_, at) => (grey[at] ?? 0) > brightnessThreshold).map(({ at }) => at),
      colour: frames[Math.floor(frames.length / 2)]?.colour ?? [],
      endedAt,
    },
  }
}

/** In the page: records each frame of the first playing video, and its end time. */
function watchFirstVideo(): void {
  window.recordedFrames = []
  const canvas = new OffscreenCanvas(32, 32).getContext('2d', { willReadFrequently: true })
  let isRecording = false
  const recordVideo = (video: HTMLVideoElement) => {
    isRecording = true
    const recordFrame = (_now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
      canvas?.drawImage(video, 0, 0, 32, 32)
      const [red = 0, green = 0, blue = 0] = canvas?.getImageData(16, 16, 1, 1).data ?? []
      window.recordedFrames.push({ at: mediaTime, colour: [red, green, blue] })
      video.requestVideoFrameCallback(recordFrame)
    }
    video.requestVideoFrameCallback(recordFrame)
    video.addEventListener('ended', () => (window.endedAt ??= video.currentTime))
  }
  const start = HTMLMediaElement.prototype.play
  HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
    if (!isRecording && this instanceof HTMLVideoElement) recordVideo(this)
    return start.call(this)
  }
}

/**
 * Returns the differences between the expected and the actual result of a video.
 * @param referenceColour the colour that the browser shows for a reference video of the same colour
 */
function faultsOf(
  film: FlashingFilm,
  { lights, beeps, colours, shown }: PlaybackResult,
  referenceColour: readonly number[],
): string[] {
  const faults: string[] = []
  const check = (condition: boolean, fault: string) => condition || faults.push(fault)
  if (film.refusal) faults.push('was accepted')
  for (const [at, { flashes }] of lights.entries()) {
    if (film.flashes) check(isNear(flashes, film.flashes), `rendition ${at} flashes at ${flashes.join(', ')}`)
    check(areSimultaneous(flashes, beeps), `rendition ${at} does not flash when the audio beeps`)
  }
  if (film.beeps) check(isNear(beeps, film.beeps), `beeps at ${beeps.join(', ')}`)
  if (film.duration !== undefined)
    check(
      Math.abs(shown.endedAt - film.duration) <= maxDurationDifference,
      `ends at ${shown.endedAt}, not ${film.duration}`,
    )
  // A busy machine skips frames, but shown frames have the right time.
  for (const at of shown.bright)
    check(
      lights[0]?.bright.some((brightAt) => Math.abs(brightAt - at) <= maxDistance) ?? false,
      `is bright on screen at ${at} s, but not in the first rendition`,
    )
  if (film.colour)
    for (const colour of colours)
      check(isSameColour(colour, film.colour), `has the colour ${colour.join(', ')}`)
  if (film.colour)
    check(
      isSameColour(shown.colour, referenceColour),
      `is shown as ${shown.colour.join(', ')}, and the reference video as ${referenceColour.join(', ')}`,
    )
  return faults
}

const isSameColour = (actual: readonly number[], expected: readonly number[]) =>
  actual.length === 3 && actual.every((part, at) => Math.abs(part - (expected[at] ?? NaN)) <= maxDifference)

const isNear = (actual: readonly number[], expected: readonly number[]) =>
  actual.length === expected.length &&
  actual.every((at, index) => Math.abs(at - (expected[index] ?? NaN)) <= maxDistance)

/** Returns true if each flash and beep that are at most 0.5 s apart are simultaneous. */
const areSimultaneous = (flashes: readonly number[], beeps: readonly number[]) =>
  flashes.every((flash) =>
    beeps.every((beep) => Math.abs(flash - beep) > 0.5 || Math.abs(flash - beep) <= maxDistance),
  )

const round = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' ')
const describeResult = ({ lights, beeps, colours, shown }: PlaybackResult) =>
  `flashes ${lights.map(({ flashes }) => round(flashes)).join(' / ')} | seen ${round(shown.flashes)} | beeps ${round(beeps)} | ` +
  `colours ${[...colours, shown.colour].map((colour) => colour.join(',')).join(' / ')} | ended at ${shown.endedAt.toFixed(2)}`
