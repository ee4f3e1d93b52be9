import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAuditEvents } from '#contract/studio/operators.ts'
import {
  startUploads,
  listUploads,
  removeUploads,
  uploadLimits,
  type StartedUpload,
  type AnnouncedFile,
} from '#contract/studio/uploads.ts'
import { addVideo, listStudioEpisodes } from '#contract/studio/videos.ts'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { processNextUpload } from '#server/features/media/uploads/process-upload.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { makeTestVideo } from '#server/testing/media/test-media.ts'
import { ingestContextOf } from '#server/testing/media/ingest-context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let root: string
let site: TestSite
let studio: Visitor
let owner: Visitor

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-plans-'))
  site = await startTestSite()
  studio = (await signInOperator(site, 'editor')).studio
  owner = (await signInOperator(site, 'owner')).studio
})
afterAll(async () => {
  await site.close()
  rmSync(root, { recursive: true, force: true })
})

const last_modified_at = '2026-02-03T04:05:06.000Z'
const film = (number: number, more: Partial<AnnouncedFile> = {}): AnnouncedFile => ({
  name: `0${number}.mp4`,
  bytes: 9 * number,
  last_modified_at,
  number,
  ...more,
})
const subtitles = (number: number): AnnouncedFile =>
  film(number, { name: `0${number}.en.vtt`, bytes: 9, language: 'en' })
const season = [1, 2, 3].flatMap((number) => [film(number), subtitles(number)])

const begin = async () => (await studio.callOk(addVideo, { body: { title: 'A season' } })).id
const plan = async (video_id: string, files: AnnouncedFile[]): Promise<StartedUpload[]> =>
  (await studio.callOk(startUploads, { body: { video_id, files } })).list
const openOf = async (video_id: string) => (await studio.callOk(listUploads, { query: { video_id } })).list
const trailOf = async (subject: string) => {
  const { list } = await owner.callOk(listAuditEvents, { query: { subject } })
  return list.filter(({ event }) => event.startsWith('studio upload'))
}
const detailsOf = async (subject: string) => (await trailOf(subject)).map(({ details }) => details)

async function uploadFile(video_id: string, file: AnnouncedFile, bytes: Buffer): Promise<void> {
  const [upload] = await plan(video_id, [{ ...file, bytes: bytes.length }])
  const headers = { 'content-type': 'application/octet-stream' }
  const init = { method: 'POST', body: new Uint8Array(bytes), headers }
  await studio.fetch(`/api/studio/uploads/${upload?.id}/parts/0`, init)
}

async function takeAll(): Promise<void> {
  const { signal } = new AbortController()
  const worker = ingestContextOf(site.context)
  while (await processNextUpload(worker, signal));
}

describe('the files of a season', () => {
  it('are announced in one call with one audit entry, and a repeated call adds nothing', async () => {
    const video = await begin()
    const [one, other] = await Promise.all([plan(video, season), plan(video, season)])
    expect(one).toEqual(other)
    expect(one.map(({ name, state }) => [name, state])).toEqual(season.map(({ name }) => [name, 'uploading']))
    expect(await plan(video, season)).toEqual(one)
    expect(await openOf(video)).toHaveLength(6)
    const files = ['1 en 01.en.vtt', '1 01.mp4', '2 en 02.en.vtt', '2 02.mp4', '3 en 03.en.vtt', '3 03.mp4']
    expect(await detailsOf(video)).toEqual([{ after: { files } }])
    expect((await trailOf(video)).map(({ event }) => event)).toEqual(['studio upload start'])
  })

  it('are in a later audit entry only if they are new or have another target', async () => {
    const video = await begin()
    await plan(video, [film(1), subtitles(1)])
    await plan(video, [film(1, { number: 4 }), subtitles(1), film(2)])
    const [latest] = await detailsOf(video)
    expect(latest).toEqual({ before: { files: ['1 01.mp4'] }, after: { files: ['2 02.mp4', '4 01.mp4'] } })
  })

  it('are accepted even if other files are refused, and a refused file is returned with its reason but not audited', async () => {
    const video = await begin()
    const unfit = [
      film(1, { name: 'virus.exe' }),
      film(1, { name: 'large.mp4', bytes: uploadLimits.video + 1 }),
      film(1, { name: 'captions.mp4', language: 'en' }),
      film(1, { name: 'empty.mp4', bytes: 0 }),
    ]
    const list = await plan(video, [...unfit, film(1), film(1, { number: 2 }), film(1)])
    expect(list.map(({ id, state, reason }) => (id ? state : reason?.slice(0, 17)))).toEqual([
      'isn’t supported: ',
      'isn’t supported: ',
      'isn’t supported: ',
      'is empty',
      'uploading',
      'is already in the',
      'uploading',
    ])
    expect((await openOf(video)).map(({ name, number }) => [name, number])).toEqual([['01.mp4', 1]])
    expect(await detailsOf(video)).toEqual([{ after: { files: ['1 01.mp4'] } }])
    expect(await plan(video, unfit)).toHaveLength(4)
    expect(await trailOf(video)).toHaveLength(1)
  })

  it('are limited to 500 in one call, whatever the length of their names', async () => {
    const video_id = await begin()
    const files = Array.from({ length: 501 }, (_, index) =>
      film(index + 1, { name: `${'n'.repeat(240)} ${index}.mp4` }),
    )
    expect(await plan(video_id, files.slice(1))).toHaveLength(500)
    const { answer } = await studio.call(startUploads, { body: { video_id, files } })
    expect(answer.code).toBe(400)
  })

  it('are cancelled in one call with one audit entry, and already deleted files are ignored', async () => {
    const [video, other] = [await begin(), await begin()]
    await plan(video, season)
    await uploadFile(video, subtitles(9), Buffer.from('WEBVTT\n'))
    const ids = (await openOf(video)).map(({ id }) => id)
    const remove = (video_id: string) => studio.callOk(removeUploads, { body: { video_id, ids } })
    expect(await remove(other)).toEqual({ removed: 0, not_removed: [] })
    expect(await remove(video)).toEqual({ removed: 6, not_removed: ['09.en.vtt'] })
    expect(await remove(video)).toEqual({ removed: 0, not_removed: ['09.en.vtt'] })
    expect((await openOf(video)).map(({ name }) => name)).toEqual(['09.en.vtt'])
    expect((await trailOf(video)).map(({ event }) => event)).toEqual([
      'studio upload remove',
      'studio upload start',
      'studio upload start',
    ])
    expect((await detailsOf(video))[0]).toMatchObject({ before: { files: { length: 6 } } })
    expect(await trailOf(other)).toEqual([])
    await takeAll()
  })

  it('can be announced and cancelled on the command line too, as a list in JSON or individually', async () => {
    const video = await begin()
    const runUploadCommand = (...args: string[]) => runStudioCommand(site.context, ['upload', ...args])
    expect(await runUploadCommand('start', video, JSON.stringify(season))).toMatch(
      /01\.en\.vtt +9 +1 +en +uploading/,
    )
    await runUploadCommand('start', video, ...season.map((file) => JSON.stringify(file)))
    const ids = (await openOf(video)).map(({ id }) => id)
    expect(ids).toHaveLength(6)
    expect(await runUploadCommand('remove', video, ...ids)).toContain('removed: 6')
    expect((await trailOf(video)).map(({ event, operator }) => [event, operator])).toEqual([
      ['studio upload remove', null],
      ['studio upload start', null],
    ])
    await expect(runUploadCommand('list', video, 'more')).rejects.toThrow('too many arguments')
  })
})

describe('titles of uploaded files', () => {
  const titlesOf = async (video_id: string) =>
    (await studio.callOk(listStudioEpisodes, { query: { video_id } })).list.map(({ titles }) => titles)

  it('apply to new episodes, and add only the missing languages to existing episodes', async () => {
    makeTestVideo(join(root, 'film.mp4'), { seconds: 1 })
    const bytes = readFileSync(join(root, 'film.mp4'))
    const video = await begin()
    await uploadFile(video, film(1, { titles: { en: ' Tide ', fy: 'Marée' } }), bytes)
    await takeAll()
    expect(await titlesOf(video)).toEqual([{ en: 'Tide', fy: 'Marée' }])
    await uploadFile(video, film(1, { name: 'new.mp4', titles: { en: 'Ebb', es: 'Marea' } }), bytes)
    await takeAll()
    expect(await titlesOf(video)).toEqual([{ en: 'Tide', fy: 'Marée', es: 'Marea' }])
  })

  it('are in the audit log, and remain when the same files are announced again without titles', async () => {
    const video = await begin()
    await plan(video, [film(1, { titles: { en: 'Tide' } }), film(2)])
    await plan(video, [film(1), film(2)])
    const first = { after: { files: ['1 01.mp4', '2 02.mp4'], titles: { 1: { en: 'Tide' } } } }
    expect(await detailsOf(video)).toEqual([first])
    await plan(video, [film(1, { titles: {} }), film(2)])
    const expected = {
      before: { files: ['1 01.mp4'], titles: { 1: { en: 'Tide' } } },
      after: { files: ['1 01.mp4'] },
    }
    expect(await detailsOf(video)).toEqual([expected, first])
  })

  it('are refused if one of them is too long', async () => {
    const body = { video_id: await begin(), files: [film(1, { titles: { en: 'x'.repeat(201) } })] }
    expect((await studio.call(startUploads, { body })).answer.code).toBe(500)
  })
})
