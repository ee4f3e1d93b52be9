import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  startUploads,
  listCompletedUploads,
  listUploads,
  partBytes,
  removeUploads,
  uploadLimits,
  type Upload,
} from '#contract/studio/uploads.ts'
import {
  addVideo,
  getStudioVideo,
  listStudioEpisodes,
  removeCover,
  removeEpisode,
} from '#contract/studio/videos.ts'
import { loadAdminVideo } from '#server/features/catalog/catalog.ts'
import { purgeUploads, processNextUpload } from '#server/features/media/uploads/process-upload.ts'
import { processNextAsset } from '#server/features/media/ingest/queue/ingest-queue.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import { StorageUnavailable } from '#server/testing/fakes/storage-unavailable.ts'
import { agedStorage } from '#server/testing/aged-storage.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { makeTestVideo } from '#server/testing/media/test-media.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { ingestContextOf } from '#server/testing/media/ingest-context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Envelope, Visitor } from '#server/testing/site/visitor.ts'

const { signal } = new AbortController()
const last_modified_at = '2026-02-03T04:05:06.000Z'
const octets = { 'content-type': 'application/octet-stream' }
const captions = Buffer.from('1\n00:00:00,100 --> 00:00:00,900\nHello\n')

let root: string
let site: TestSite
let ingest: IngestContext
let studio: Visitor
/** A file that is uploaded in three parts. */
let film: Buffer
/** A file that is uploaded in one part, for tests that are not about parts. */
let short: Buffer

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-uploads-'))
  makeTestVideo(join(root, 'film.mp4'), { seconds: 1 })
  short = readFileSync(join(root, 'film.mp4'))
  film = withRoom(short, 2 * partBytes)
  site = await startTestSite()
  ingest = ingestContextOf(site.context)
  studio = (await signInOperator(site, 'editor')).studio
})
afterAll(async () => {
  await site.close()
  rmSync(root, { recursive: true, force: true })
})

/** Adds a box of zeros to the end of an MP4 film, so that the file is larger but plays the same. */
function withRoom(film: Buffer, bytes: number): Buffer {
  const head = Buffer.from('\0\0\0\0free', 'latin1')
  head.writeUInt32BE(8 + bytes)
  return Buffer.concat([film, head, Buffer.alloc(bytes)])
}

const begin = async () => (await studio.callOk(addVideo, { body: { title: 'Brought in' } })).id

async function announce(video_id: string, bytes: Buffer, more: object = {}): Promise<Upload> {
  const file = { name: '01.mp4', bytes: bytes.length, last_modified_at, number: 1, ...more }
  const [upload] = (await studio.callOk(startUploads, { body: { video_id, files: [file] } })).list
  if (!upload?.id) throw new Error(`the upload was not accepted: ${upload?.reason}`)
  return { ...upload, id: upload.id }
}

async function send(
  visitor: Visitor,
  id: string,
  part: number | string,
  body: Buffer,
  headers: object = octets,
) {
  const init = { method: 'POST', body: new Uint8Array(body), headers: { ...headers } }
  const response = await visitor.fetch(`/api/studio/uploads/${id}/parts/${part}`, init)
  const answer = (await response.json()) as Envelope<{ parts: number; complete: boolean }>
  return { status: response.status, ...answer }
}

const partOf = (bytes: Buffer, part: number) => bytes.subarray(part * partBytes, (part + 1) * partBytes)

async function uploadFile(video_id: string, bytes: Buffer, more: object = {}): Promise<string> {
  const { id } = await announce(video_id, bytes, more)
  for (let part = 0; part * partBytes < bytes.length; part++)
    await send(studio, id, part, partOf(bytes, part))
  return id
}

const episodesOf = async (video_id: string) =>
  (await studio.callOk(listStudioEpisodes, { query: { video_id } })).list
const openOf = async (video_id: string) => (await studio.callOk(listUploads, { query: { video_id } })).list
const arrivedOf = async (video_id: string) =>
  (await studio.callOk(listCompletedUploads, { query: { video_id } })).list
const takeAll = async () => {
  while (await processNextUpload(ingest, signal));
}
const makeAll = async () => {
  while (await processNextAsset(ingest, { signal, niceness: 0 }));
}

describe('a file', () => {
  it('becomes a playable episode after its parts were uploaded, in any order and even twice', async () => {
    const video = await begin()
    const { id, parts } = await announce(video, film)
    expect(parts).toEqual([])
    for (const part of [2, 0, 0]) expect((await send(studio, id, part, partOf(film, part))).code).toBe(200)
    await takeAll()
    expect(await episodesOf(video)).toEqual([])
    // After a reload of the page, the same file is identified by its name, size and last change.
    expect(await announce(video, film)).toMatchObject({ id, parts: [0, 2], state: 'uploading' })
    expect((await send(studio, id, 1, partOf(film, 1))).info).toEqual({ parts: 3, complete: true })
    await takeAll()
    expect(await episodesOf(video)).toMatchObject([{ number: 1, state: 'queued', source_name: '01.mp4' }])
    expect(await processNextAsset(ingest, { signal, niceness: 0 })).toBeDefined()
    expect(await episodesOf(video)).toMatchObject([{ state: 'ready', playable: true }])
    expect(await openOf(video)).toEqual([])
    expect((await announce(video, film)).state).toBe('queued')
    expect(await filesBelow('uploads')).toEqual([])
  })

  it('is not completed by an empty part after its end', async () => {
    const video = await begin()
    const { id } = await announce(video, Buffer.alloc(partBytes))
    expect((await send(studio, id, 1, Buffer.alloc(0))).status).toBe(400)
    expect(await openOf(video)).toMatchObject([{ state: 'uploading', parts: [] }])
  })

  it('of which a part was lost is refused, and does not block other files', async () => {
    const [broken, whole] = [await begin(), await begin()]
    const id = await uploadFile(broken, film)
    await site.context.storage.remove(`uploads/${id}/1`)
    await uploadFile(whole, short)
    await takeAll()
    expect(await openOf(broken)).toMatchObject([
      { state: 'rejected', reason: expect.stringContaining('upload it again') },
    ])
    expect(await episodesOf(whole)).toHaveLength(1)
    await makeAll()
  })

  it('that the worker has claimed cannot be cancelled', async () => {
    const video = await begin()
    const id = await uploadFile(video, short)
    const request = { body: { video_id: video, ids: [id] } }
    expect(await studio.callOk(removeUploads, request)).toEqual({ removed: 0, not_removed: ['01.mp4'] })
    await takeAll()
    expect(await episodesOf(video)).toHaveLength(1)
    await makeAll()
  })

  it('that was processed can be uploaded for another target, or again after its episode was removed', async () => {
    const video = await begin()
    const first = await uploadFile(video, short)
    await takeAll()
    expect(await announce(video, short)).toMatchObject({ id: first, state: 'queued' })
    expect(await announce(video, short, { number: 2 })).toMatchObject({ state: 'uploading', parts: [] })
    await uploadFile(video, short, { number: 2 })
    await takeAll()
    const [, second] = await episodesOf(video)
    await studio.callOk(removeEpisode, { body: { id: second?.id ?? '' } })
    await uploadFile(video, short, { number: 2 })
    await takeAll()
    expect((await episodesOf(video)).map(({ number }) => number)).toEqual([1, 2])
    await uploadFile(video, captions, { name: '01.srt', language: 'en' })
    await takeAll()
    await uploadFile(video, captions, { name: '01.srt', language: 'dy' })
    await takeAll()
    expect((await episodesOf(video))[0]?.captions).toEqual(['en', 'dy'])
    await makeAll()
  })

  it('is listed as uploaded when it is complete, as long as it is the current file of its target', async () => {
    const video = await begin()
    const { id } = await announce(video, film)
    await send(studio, id, 0, partOf(film, 0))
    expect(await arrivedOf(video)).toEqual([])
    for (const part of [1, 2]) await send(studio, id, part, partOf(film, part))
    const known = { name: '01.mp4', bytes: film.length, last_modified_at, number: 1, language: null }
    expect(await arrivedOf(video)).toEqual([known])
    await takeAll()
    await uploadFile(video, captions, { name: '01.srt', language: 'en' })
    await takeAll()
    const subtitles = { ...known, name: '01.srt', bytes: captions.length, language: 'en' }
    expect((await arrivedOf(video)).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      known,
      subtitles,
    ])
    const other = withRoom(short, 5)
    await uploadFile(video, other)
    await takeAll()
    expect(await arrivedOf(video)).toEqual(
      expect.arrayContaining([{ ...known, bytes: other.length }, subtitles]),
    )
    expect(await arrivedOf(video)).toHaveLength(2)
    // To restore the previous file, the operator uploads it again.
    expect(await announce(video, film)).toMatchObject({ state: 'uploading', parts: [] })
    const [episode] = await episodesOf(video)
    await studio.callOk(removeEpisode, { body: { id: episode?.id ?? '' } })
    expect(await arrivedOf(video)).toEqual([])
  })

  it('that waits for the worker gets its latest target, even if the target changes while the parts are joined', async () => {
    const video = await begin()
    const id = await uploadFile(video, film)
    const mended = await announce(video, film, { number: 2, titles: { en: 'Tide' } })
    expect(mended).toMatchObject({ id, number: 2, state: 'complete' })
    const { storage } = site.context
    const read = storage.read.bind(storage)
    const reading = vi.spyOn(storage, 'read').mockImplementationOnce(async (key) => {
      await announce(video, film, { number: 3, titles: { en: 'Ebb' } })
      return read(key)
    })
    await takeAll()
    reading.mockRestore()
    expect(await episodesOf(video)).toMatchObject([{ number: 3, titles: { en: 'Ebb' } }])
    await makeAll()
  })

  it('is cancelled only after its video was locked, so that a cancellation and an announcement cannot deadlock', async () => {
    const video = await begin()
    const { id } = await announce(video, film)
    const removing = await site.context.db.transaction().execute(async (tx) => {
      await loadAdminVideo(tx, video, { lock: true })
      const removal = studio.callOk(removeUploads, { body: { video_id: video, ids: [id] } })
      await waitForLock(site.context.database.pool)
      return { removal }
    })
    expect(await removing.removal).toEqual({ removed: 1, not_removed: [] })
  })

  it('that is not a film is refused with a reason in the operator’s language, and can be uploaded again', async () => {
    const video = await begin()
    await uploadFile(video, Buffer.from('no film at all'))
    await takeAll()
    for (const [accept, reason] of Object.entries({
      en: 'is a text file, not a video',
      de: 'ist eine Textdatei, kein Video',
    })) {
      const request = { query: { video_id: video }, headers: { 'accept-language': accept } }
      expect((await studio.callOk(listUploads, request)).list).toMatchObject([{ state: 'rejected', reason }])
    }
    expect(await announce(video, Buffer.from('no film at all'))).toMatchObject({
      state: 'uploading',
      parts: [],
    })
  })

  it('that contains several recordings is refused', async () => {
    const video = await begin()
    await uploadFile(video, Buffer.concat([film, film]))
    await takeAll()
    const { list } = await studio.callOk(listUploads, { query: { video_id: video } })
    expect(list).toMatchObject([{ state: 'rejected', reason: expect.stringContaining('several recordings') }])
  })

  it('that fails unexpectedly is rejected after five attempts, and can then be processed again without a new upload', async () => {
    const video = await begin()
    const id = await uploadFile(video, short)
    const failWith = (error: Error, stopped = signal) => {
      const read = vi.spyOn(ingest.storage, 'read').mockRejectedValue(error)
      return processNextUpload(ingest, stopped).finally(() => read.mockRestore())
    }
    const attempts = async (times: number) => {
      for (let time = 0; time < times; time++)
        await expect(failWith(new Error('the disk is away'))).rejects.toThrow('the disk is away')
    }
    await attempts(4)
    // An interruption or an unreachable storage does not count as an attempt, because the file does not cause it.
    await expect(failWith(new Error('stopped'), AbortSignal.abort())).rejects.toThrow()
    await expect(failWith(new StorageUnavailable())).rejects.toThrow(StorageUnavailable)
    expect(await openOf(video)).toMatchObject([{ state: 'complete', reason: null }])
    expect(await failWith(new Error('the disk is away'))).toBe(true)
    expect(await openOf(video)).toMatchObject([
      { state: 'rejected', reason: 'failed after 5 attempts: the disk is away' },
    ])
    await takeAll()
    await purgeUploadsAfter(2 * 3_600_000)
    expect(await announce(video, short)).toMatchObject({ id, state: 'complete' })
    await attempts(4)
    await takeAll()
    expect(await openOf(video)).toEqual([])
    expect(await episodesOf(video)).toMatchObject([{ number: 1, source_name: '01.mp4' }])
    expect(await filesBelow('uploads')).toEqual([])
    await makeAll()
  })

  it('that was cancelled is deleted with its parts', async () => {
    const video = await begin()
    const { id } = await announce(video, film)
    await send(studio, id, 0, partOf(film, 0))
    await studio.callOk(removeUploads, { body: { video_id: video, ids: [id] } })
    expect((await send(studio, id, 1, partOf(film, 1))).code).toBe(404)
    await purgeUploadsAfter(2 * 3_600_000)
    expect(await filesBelow('uploads')).toEqual([])
  })

  it('whose row is not committed yet keeps its part even if the site’s clock was moved forward', async () => {
    await ingest.storage.write('uploads/upl_coming/0', 'part')
    await purgeUploadsWithClockAt(30 * 86_400_000)
    expect(await filesBelow('uploads')).toEqual(['uploads/upl_coming/0'])
    await purgeUploadsAfter(2 * 3_600_000)
    expect(await filesBelow('uploads')).toEqual([])
  })

  it('that is not continued is discarded after a week, but not earlier', async () => {
    const video = await begin()
    const { id } = await announce(video, film)
    await send(studio, id, 0, partOf(film, 0))
    await purgeUploadsAfter(6 * 86_400_000)
    expect((await announce(video, film)).parts).toEqual([0])
    await purgeUploadsAfter(14 * 86_400_000)
    expect(await openOf(video)).toEqual([])
  })

  it('is discarded after a week even if there are more than a batch of the purge', async () => {
    const video = await begin()
    await site.context.database.pool.query(
      `INSERT INTO uploads (id, video_id, name, bytes, last_modified_at, number, state, updated_at)
       SELECT $1 || n, $1, n || '.mp4', 1, now(), n, 'uploading', now() - interval '8 days' FROM generate_series(1, 2001) n`,
      [video],
    )
    await purgeUploadsAfter(0)
    expect(await openOf(video)).toEqual([])
  })
})

describe('captions', () => {
  it('wait for their episode’s film, and remain when the film is replaced', async () => {
    const video = await begin()
    const { id } = await announce(video, film)
    await uploadFile(video, captions, { name: '01.de.srt', language: 'dy' })
    await takeAll()
    expect((await openOf(video)).map(({ state }) => state)).toEqual(['complete', 'uploading'])
    for (const part of [0, 1, 2]) await send(studio, id, part, partOf(film, part))
    await takeAll()
    expect(await episodesOf(video)).toMatchObject([{ captions: ['dy'] }])
    await processNextAsset(ingest, { signal, niceness: 0 })
    await uploadFile(video, withRoom(short, 5), { name: 'again.mp4' })
    await uploadFile(video, captions, { name: '01.en.srt', language: 'en' })
    await takeAll()
    await processNextAsset(ingest, { signal, niceness: 0 })
    const [episode] = await episodesOf(video)
    expect([episode?.state, episode?.captions.toSorted()]).toEqual(['ready', ['dy', 'en']])
  })

  it('that are uploaded after their film are added, without a warning in the log', async () => {
    const video = await begin()
    await uploadFile(video, short)
    await takeAll()
    const warn = vi.spyOn(site.context.log, 'warn')
    await uploadFile(video, captions, { name: '01.en.srt', language: 'en' })
    await uploadFile(video, captions, { name: '01.de.srt', language: 'dy' })
    await takeAll()
    expect(warn.mock.calls).toEqual([])
    warn.mockRestore()
    expect(await episodesOf(video)).toMatchObject([{ captions: ['en', 'dy'] }])
    await makeAll()
  })

  it('without an episode are refused', async () => {
    const video = await begin()
    await uploadFile(video, captions, { name: '07.en.srt', language: 'en', number: 7 })
    await takeAll()
    expect(await openOf(video)).toMatchObject([{ reason: 'belongs to episode 7, which doesn’t exist' }])
  })
})

describe('bytes', () => {
  it('are accepted only from owners and editors, from the site’s own pages and in the required length', async () => {
    const { id } = await announce(await begin(), film)
    const part = partOf(film, 2)
    for (const role of ['support', 'analyst'] as const)
      expect((await send((await signInOperator(site, role)).studio, id, 2, part)).code).toBe(403)
    expect((await send(site.visitor(), id, 2, part)).code).toBe(401)
    const foreign = { ...octets, 'sec-fetch-site': 'cross-site' }
    expect((await send(studio, id, 2, part, foreign)).status).toBe(403)
    expect((await send(studio, id, 2, part, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send(studio, id, 0, part)).status).toBe(400)
    expect((await send(studio, id, 3, part)).status).toBe(400)
    expect((await send(studio, id, '-1', part)).status).toBe(400)
    expect((await send(studio, id, 0, film)).status).toBe(413)
    expect((await send(studio, id, 2, part)).status).toBe(200)
    expect((await send((await signInOperator(site, 'owner')).studio, id, 2, part)).status).toBe(200)
  })

  it('of unauthorized senders are refused before they are read', async () => {
    const { id } = await announce(await begin(), film)
    for (const role of ['support', 'analyst'] as const) {
      const { studio: other } = await signInOperator(site, role)
      for (const path of [`/api/studio/uploads/${id}/parts/0`, `/api/studio/video/${id}/cover`])
        expect(await answerBeforeBytes(path, other.cookie)).toMatchObject({ code: 403 })
    }
  })

  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('of an image in %s become the cover', async (format) => {
    expect((await putCover(studio, await begin(), await drawn(format))).code).toBe(200)
  })

  it.each(['gif', 'tiff'] as const)(
    'of an image in %s do not become the cover, although it could be decoded',
    async (format) => {
      expect((await putCover(studio, await begin(), await drawn(format))).code).toBe(500)
    },
  )

  it('of a vector drawing or of an image that is too large do not become the cover', async () => {
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="120"><rect width="9" height="9"/></svg>'
    expect((await putCover(studio, await begin(), Buffer.from(drawing))).code).toBe(500)
    expect((await putCover(studio, await begin(), await drawn('png', 7100))).code).toBe(500)
    const response = await postCover(studio, await begin(), Buffer.alloc(uploadLimits.cover + 1))
    expect(response.status).toBe(413)
  })

  it('of an image become the cover, and bytes that are no image do not', async () => {
    const id = await begin()
    const picture = await sharp({ create: { width: 90, height: 120, channels: 3, background: '#c04020' } })
      .png()
      .toBuffer()
    const uploadCover = (visitor: Visitor, bytes: Buffer) => putCover(visitor, id, bytes)
    expect((await uploadCover(site.visitor(), picture)).code).toBe(401)
    expect((await uploadCover((await signInOperator(site, 'analyst')).studio, picture)).code).toBe(403)
    expect((await uploadCover(studio, Buffer.from('no picture'))).code).toBe(500)
    const { info } = await uploadCover(studio, picture)
    const { cover_url } = await studio.callOk(getStudioVideo, { query: { id } })
    expect(info).toMatchObject({ cover_url, is_small: true })
    const large = await sharp({ create: { width: 600, height: 800, channels: 3, background: '#c04020' } })
      .png()
      .toBuffer()
    expect((await uploadCover(studio, large)).info).toMatchObject({ is_small: false })
    expect((await studio.fetch(cover_url ?? '')).headers.get('content-type')).toBe('image/webp')
  })

  it('of an image become the cover for one language, until that cover is removed', async () => {
    const id = await begin()
    const loadDetails = async () => {
      const { cover_url, language_covers } = await studio.callOk(getStudioVideo, { query: { id } })
      return { cover_url, languages: language_covers.map(({ language }) => language) }
    }
    for (const language of ['de', 'es'])
      expect((await putCover(studio, id, await drawn('png'), language)).code).toBe(200)
    expect(await loadDetails()).toEqual({ cover_url: null, languages: ['es', 'dy'] })
    expect((await putCover(studio, id, await drawn('png'), 'it')).code).toBe(404)
    const removal = { body: { id, language: 'dy' as const } }
    expect(
      (await (await signInOperator(site, 'support')).studio.call(removeCover, removal)).answer.code,
    ).toBe(403)
    await studio.callOk(removeCover, removal)
    expect(await loadDetails()).toEqual({ cover_url: null, languages: ['es'] })
  })
})

function postCover(visitor: Visitor, id: string, bytes: Buffer, language?: string): Promise<Response> {
  const init = { method: 'POST', body: new Uint8Array(bytes), headers: octets }
  return visitor.fetch(`/api/studio/video/${id}/cover${language ? `/${language}` : ''}`, init)
}

async function putCover(
  visitor: Visitor,
  id: string,
  bytes: Buffer,
  language?: string,
): Promise<Envelope<object>> {
  return (await (await postCover(visitor, id, bytes, language)).json()) as Envelope<object>
}

const drawn = (format: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff', side = 120) =>
  sharp({
    create: { width: side, height: side, channels: 3, background: '#c04020' },
    limitInputPixels: false,
  })
    .toFormat(format)
    .toBuffer()

/** Returns the response to a request that announces a part, but sends no byte of the part. */
function answerBeforeBytes(path: string, cookie: string): Promise<unknown> {
  const headers = { ...octets, cookie, 'sec-fetch-site': 'same-origin', 'content-length': String(partBytes) }
  return new Promise((resolve, reject) => {
    // Sends the request directly to a process, because a proxy may wait for the bytes.
    const upload = request(`${site.directUrl}${path}`, { method: 'POST', headers }, (response) => {
      text(response).then((answer) => resolve(JSON.parse(answer)), reject)
      response.on('end', () => upload.destroy())
    })
    upload.on('error', reject)
    upload.flushHeaders()
  })
}

/** Runs the worker's cleanup with the site's clock moved forward by `ms`. The files keep their age. */
function purgeUploadsWithClockAt(ms: number, storage = ingest.storage): Promise<void> {
  return purgeUploads({ ...ingest, storage, clock: { now: () => new Date(Date.now() + ms) } })
}

/** Runs the worker's cleanup as if this many milliseconds had passed. */
function purgeUploadsAfter(ms: number): Promise<void> {
  return purgeUploadsWithClockAt(ms, agedStorage(ingest.storage, ms))
}

async function filesBelow(folder: string): Promise<string[]> {
  const keys = []
  for await (const { key } of site.context.storage.list(folder)) keys.push(key)
  return keys
}
