import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { diskRoot } from '#server/testing/media/disk-root.ts'
import { makeTestVideo, ffmpeg, programs } from '#server/testing/media/test-media.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { workerDb } from '#server/testing/database/worker-db.ts'
import {
  claimNext,
  requeue,
  markFailed,
  requeueAbandoned,
} from '#server/features/media/ingest/queue/asset-states.ts'
import { selectAssets } from '#server/features/media/ingest/asset-queries.ts'
import type { Tables } from '#server/tables.ts'
import { enqueueFolder, importFolder } from './import-folder.ts'
import { purgeDeletedAssets } from '#server/features/media/ingest/storage/purge-storage.ts'
import { createMediaKeys } from '#server/features/media/media-keys.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'
import { processNextAsset } from '#server/features/media/ingest/queue/ingest-queue.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

const description = `title: { en: Salt }
synopsis: { en: Two sisters. }
category: family-drama
tags: [sea, sisters]
free_episodes: 1
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`
const captions = 'WEBVTT\n\n00:00:00.100 --> 00:00:00.900\nHello\n'

let root: string
let database: TestDatabase
let context: IngestContext
const silentLog = createLog({ json: true, level: 'silent' })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-import-'))
  database = await createTestDatabase()
  context = {
    db: workerDb(database),
    storage: openDisk(join(root, 'data')),
    clock: { now: () => new Date() },
    log: silentLog,
    programs,
    mediaKeys: createMediaKeys('a secret of the tests', false),
  }
  makeTestVideo(join(root, 'one.mp4'), { seconds: 1 })
  makeTestVideo(join(root, 'two.mp4'), { seconds: 1.5, sound: false })
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})

const storedAt = (key: string) => join(root, 'data/storage', key)

function makeFolder(slug: string, episodes: Record<string, string>, text = description): string {
  const folder = join(root, 'content', slug)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'video.yaml'), text)
  for (const [name, film] of Object.entries(episodes)) copyFileSync(join(root, film), join(folder, name))
  return folder
}

const run = (folder: string, signal = new AbortController().signal) =>
  importFolder(context, folder, { signal, niceness: 0, onProgress: () => {} })
const enqueue = (folder: string) =>
  enqueueFolder(context, folder, {
    signal: new AbortController().signal,
    release: 'whenReady',
    priority: () => 10,
  })

function episodesOf(slug: string) {
  return database.db
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .leftJoin('assets', 'assets.id', 'episodes.asset_id')
    .select([
      'episodes.number',
      'episodes.asset_id',
      'episodes.next_asset_id',
      'assets.folder',
      'assets.state',
      'assets.captions',
      'assets.duration_ms',
    ])
    .where('videos.slug', '=', slug)
    .orderBy('episodes.number')
    .execute()
}

const videoOf = (slug: string) =>
  database.db.selectFrom('videos').selectAll().where('slug', '=', slug).executeTakeFirstOrThrow()

test('a folder becomes a published video that plays, and a second import changes nothing', async () => {
  const folder = makeFolder('salt', { '01.mp4': 'one.mp4', '02.mp4': 'two.mp4' })
  writeFileSync(join(folder, '01.en.vtt'), captions)
  expect(await run(folder)).toMatchObject({ made: ['salt/01.mp4', 'salt/02.mp4'], refused: [] })
  const before = await episodesOf('salt')
  expect(before).toMatchObject([
    { number: 1, state: 'ready', next_asset_id: null },
    { number: 2, state: 'ready' },
  ])
  const video = await videoOf('salt')
  expect(video).toMatchObject({ state: 'published', episode_count: 2, progress: null })
  expect(await context.storage.exists(video.cover_path ?? '')).toBe(true)
  const media = storedAt(`media/${before[0]?.folder}`)
  expect(readdirSync(media).toSorted()).toEqual([
    'a',
    'captions',
    'master.m3u8',
    'poster.webp',
    'storyboard.jpg',
    'storyboard.vtt',
    'thumb.webp',
    'v0',
  ])

  expect(await run(folder)).toMatchObject({ made: [], unchanged: ['salt/01.mp4', 'salt/02.mp4'] })
  expect(await episodesOf('salt')).toEqual(before)
})

test('changed captions and titles are updated without converting the episode again', async () => {
  const folder = makeFolder('pepper', { '01.mp4': 'one.mp4' })
  await run(folder)
  const [before] = await episodesOf('pepper')
  writeFileSync(join(folder, '01.fr.srt'), '1\n00:00:00,100 --> 00:00:00,900\nBonjour\n')
  writeFileSync(join(folder, 'video.yaml'), description.replace('Salt', 'Pepper'))
  expect(await run(folder)).toMatchObject({ made: [], recaptioned: ['pepper/01.mp4'] })
  const [after] = await episodesOf('pepper')
  expect(after).toMatchObject({ asset_id: before?.asset_id, captions: [{ lang: 'fy' }] })
  expect(readFileSync(storedAt(`media/${after?.folder}/captions/fy.vtt`), 'utf8')).toContain('Bonjour')
  expect((await videoOf('pepper')).titles).toEqual({ en: 'Pepper' })
})

test('embedded captions are imported; a caption file beside the episode overrides them, and no later import removes them', async () => {
  const file = join(root, 'captioned.mkv')
  const srt = join(root, 'spoken.srt')
  writeFileSync(srt, '1\n00:00:00,100 --> 00:00:00,900\nSpoken\n')
  const tracks = ['-map', '0', '-map', '1', '-map', '1', '-c:v', 'copy', '-c:a', 'copy', '-c:s', 'srt']
  const languages = ['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=por']
  ffmpeg('-i', join(root, 'one.mp4'), '-i', srt, ...tracks, ...languages, file)
  const folder = makeFolder('spoken', { '01.mkv': 'captioned.mkv' })
  writeFileSync(join(folder, '01.en.vtt'), captions)
  await run(folder)
  const [{ folder: media } = { folder: '' }] = await episodesOf('spoken')
  const read = (lang: string) =>
    readFileSync(join(diskRoot(context.storage), `media/${media}/captions/${lang}.vtt`), 'utf8')
  expect([read('en'), read('pt')]).toEqual([captions, expect.stringContaining('Spoken')])
  writeFileSync(join(folder, '01.es.vtt'), captions)
  expect(await run(folder)).toMatchObject({ recaptioned: ['spoken/01.mkv'] })
  const [after] = await episodesOf('spoken')
  expect(after?.captions?.map(({ lang }) => lang).toSorted()).toEqual(['en', 'es', 'pt'])
  expect(read('pt')).toContain('Spoken')
})

test('a changed file replaces its episode’s media once it is converted, and the old media remains for five hours', async () => {
  const folder = makeFolder('swap', { '01.mp4': 'one.mp4' })
  await run(folder)
  const [old] = await episodesOf('swap')
  copyFileSync(join(root, 'two.mp4'), join(folder, '01.mp4'))
  await enqueue(folder)
  expect((await episodesOf('swap'))[0]).toMatchObject({ asset_id: old?.asset_id, state: 'ready' })
  await run(folder)
  const [fresh] = await episodesOf('swap')
  expect(fresh).toMatchObject({ duration_ms: 1520, next_asset_id: null })
  const master = `media/${old?.folder}/master.m3u8`
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000)
  await purgeDeletedAssets(context, hours(4.9))
  expect(await context.storage.exists(master)).toBe(true)
  await purgeDeletedAssets(context, hours(5.1))
  expect(await context.storage.exists(master)).toBe(false)
  expect(await context.storage.exists(`media/${fresh?.folder}/master.m3u8`)).toBe(true)
})

test('unusable files are refused and named, and the other files are imported', async () => {
  const folder = makeFolder('mixed', { '01.mp4': 'one.mp4' })
  writeFileSync(join(folder, '02.mp4'), '')
  writeFileSync(join(folder, '03.mp4'), '#EXTM3U\n')
  writeFileSync(join(folder, '04.avi'), 'x')
  const film = readFileSync(join(root, 'one.mp4'))
  writeFileSync(join(folder, '05.mp4'), Buffer.concat([film, film]))
  writeFileSync(join(folder, '01.en.vtt'), 'Hello')
  writeFileSync(join(folder, '09.en.vtt'), captions)
  writeFileSync(join(folder, 'cover.jpg'), 'no picture')
  writeFileSync(join(folder, 'cover.png'), 'a second cover')
  writeFileSync(join(folder, 'notes.txt'), 'Nothing of it.')
  const { made, refused, notes } = await run(folder)
  expect(notes).toEqual(['mixed: not used: notes.txt.', expect.stringContaining('names in English only')])
  expect(made).toEqual(['mixed/01.mp4'])
  expect(refused.map(({ file }) => file).toSorted()).toEqual(
    ['01.en.vtt', '02.mp4', '03.mp4', '04.avi', '05.mp4', '09.en.vtt', 'cover.jpg', 'cover.png'].map(
      (name) => `mixed/${name}`,
    ),
  )
  const reasonOf = (name: string) => refused.find(({ file }) => file === name)?.reason
  expect(reasonOf('mixed/03.mp4')).toBe('is a playlist, not a video')
  expect(reasonOf('mixed/05.mp4')).toContain('several recordings')
})

test('a mistake in a video.yaml is reported with its file and key, and other folders are imported', async () => {
  makeFolder(
    'shelf/bad',
    { '01.mp4': 'one.mp4' },
    description.replace('free_episodes: 1', 'free_episodes: many'),
  )
  makeFolder('shelf/good', { '01.mp4': 'one.mp4' })
  const { made, refused } = await run(join(root, 'content', 'shelf'))
  expect(made).toEqual(['good/01.mp4'])
  expect(refused).toEqual([
    { file: 'bad/video.yaml', reason: 'free_episodes must be a whole number from 0 to 10000; it is "many"' },
  ])
})

test('an episode that was removed from the folder remains on the site, and the import reports the removal', async () => {
  const folder = makeFolder('shrunk', { '01.mp4': 'one.mp4', '02.mp4': 'two.mp4' })
  await run(folder)
  rmSync(join(folder, '02.mp4'))
  expect((await run(folder)).notes).toContain(
    'shrunk: episode 2 is not in the folder any more, but remains on the site.',
  )
  expect((await episodesOf('shrunk')).map(({ state }) => state)).toEqual(['ready', 'ready'])
})

test('an import reports unusual prices, a small cover, and labels without translations', async () => {
  const odd = description.replace('free_episodes: 1', 'free_episodes: 2')
  const folder = makeFolder('odd', { '01.mp4': 'one.mp4' }, odd)
  await sharp({ create: { width: 300, height: 200, channels: 3, background: '#c04020' } }).toFile(
    join(folder, 'cover.png'),
  )
  const { notes } = await run(folder)
  expect(notes).toEqual([
    'odd/cover.png is small and will look blurred: use at least 600 × 800 pixels.',
    'odd: every episode is free, so nothing is for sale.',
    expect.stringMatching(/^odd: .* have names in English only/),
  ])
})

test('an interrupted import publishes nothing, and the next import converts the episode', async () => {
  makeTestVideo(join(root, 'long.mp4'), { seconds: 25 })
  const folder = makeFolder('stopped', { '01.mp4': 'long.mp4' })
  const stop = new AbortController()
  const importing = importFolder(context, folder, {
    signal: stop.signal,
    niceness: 0,
    onProgress: ([first]) => first?.state === 'processing' && stop.abort(),
  })
  await expect(importing).rejects.toThrow()
  expect(await episodesOf('stopped')).toMatchObject([{ asset_id: null }])
  expect((await videoOf('stopped')).state).toBe('scheduled')
  const waiting = await database.db
    .selectFrom('assets')
    .select(['state'])
    .where('source_name', '=', 'stopped/01.mp4')
    .execute()
  expect(waiting).toEqual([{ state: 'uploaded' }])
  expect((await run(folder)).made).toEqual(['stopped/01.mp4'])
  expect(
    await database.db
      .selectFrom('assets')
      .select('state')
      .where('source_name', '=', 'stopped/01.mp4')
      .execute(),
  ).toEqual([{ state: 'ready' }])
})

test('an import does not read the assets again that are ready', async () => {
  const folder = makeFolder('progress', { '01.mp4': 'one.mp4', '02.mp4': 'two.mp4' })
  const counts: number[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: database.sessions }),
    log({ query: { sql, parameters } }) {
      if (sql.includes('"progress", "reason"'))
        counts.push(...parameters.filter(Array.isArray).map((ids) => ids.length))
    },
  })
  const options = { signal: new AbortController().signal, niceness: 0, onProgress: () => {} }
  const { made } = await importFolder({ ...context, db }, folder, options)
  expect(made).toHaveLength(2)
  // The notes of both are read at the end.
  expect([counts.includes(1), counts.at(-1)]).toEqual([true, 2])
})

test('the state of more assets can be read than a statement can have parameters', async () => {
  const ids = Array.from({ length: 70_000 }, (_, index) => `ast_${index}`)
  expect(await selectAssets(database.db, ids)).toEqual([])
})

test('several workers share the queue, and each episode is converted once', async () => {
  const names = ['01.mp4', '02.mp4', '03.mp4', '04.mp4']
  await enqueue(makeFolder('shared', Object.fromEntries(names.map((name) => [name, 'one.mp4']))))
  const work = async () => {
    const done: string[] = []
    for (
      let id: string | undefined;
      (id = await processNextAsset(context, { signal: new AbortController().signal, niceness: 0 })) !==
      undefined;
    )
      done.push(id)
    return done
  }
  const done = (await Promise.all([work(), work()])).flat()
  expect(new Set(done).size).toBe(4)
  expect(done.length).toBe(4)
  const assets = await database.db
    .selectFrom('assets')
    .select(['state', 'attempt'])
    .where('id', 'in', done)
    .execute()
  expect(assets).toEqual(names.map(() => ({ state: 'ready', attempt: 1 })))
})

test('assets of a dead worker are requeued, and assets of an active worker are not', async () => {
  await enqueue(makeFolder('orphan', { '01.mp4': 'one.mp4' }))
  let claim: Awaited<ReturnType<typeof claimNext>>
  const client = await database.pool.connect()
  client.on('error', () => {})
  await workerDb(database)
    .connection()
    .execute(async (connection) => {
      claim = await claimNext(connection)
      expect(await requeueAbandoned(database.db)).toEqual([])
      const other = workerDb(database)
        .connection()
        .execute((one) => claimNext(one))
      expect(await other).toBeUndefined()
      // Releases the lock, as the database does after the worker's process has ended.
      await connection.selectNoFrom((eb) => eb.fn('pg_advisory_unlock_all').as('done')).execute()
    })
  client.release(true)
  expect(await requeueAbandoned(database.db)).toEqual([claim?.id])
  if (!claim) throw new Error('nothing was claimed')
  const error = new UnusableFile({ key: 'tooSlow' })
  await expect(markFailed(database.db, claim, error, new Date())).rejects.toThrow('another worker')
  await expect(requeue(database.db, claim)).rejects.toThrow('another worker')
  expect(await processNextAsset(context, { signal: new AbortController().signal, niceness: 0 })).toBe(
    claim.id,
  )
})

test('no unfinished files of the imports above remain', () => {
  const own = readdirSync(context.storage.workDir).flatMap((name) =>
    readdirSync(join(context.storage.workDir, name)),
  )
  expect(own).toEqual([])
})

test('omitted parts of a film or its captions are noted at each import', async () => {
  const folder = makeFolder('left-out', {})
  const srt = join(root, 'foreign.srt')
  writeFileSync(srt, '1\n00:00:00,100 --> 00:00:00,900\nHello\n')
  const language = ['-metadata:s:s:0', 'language=jpn']
  ffmpeg(
    '-i',
    join(root, 'one.mp4'),
    '-i',
    srt,
    '-c',
    'copy',
    '-c:s',
    'srt',
    ...language,
    join(folder, '01.mkv'),
  )
  const lost = '1\n00:00:00,100 --> 00:00:00,900\nHello\n\n2\n00:00:0x,000 --> 00:00:01,000\nLost\n'
  writeFileSync(join(folder, '01.en.srt'), lost)
  const notes = [
    'left-out/01.en.srt has captions in English whose times can’t be used (first in line 6): they are left out.',
    'left-out/01.mkv has captions in none of this site’s languages (track 1): they are left out.',
  ]
  expect((await run(folder)).notes).toEqual(expect.arrayContaining(notes))
  expect((await run(folder)).notes).toEqual(expect.arrayContaining(notes))
  expect((await episodesOf('left-out'))[0]?.captions).toMatchObject([{ lang: 'en', omittedLine: 6 }])
})

test('captions in a subfolder are imported, and files beside the folders of dramas are noted', async () => {
  const folder = makeFolder('beside/nested', { '01.mp4': 'one.mp4' })
  for (const name of ['subs', '../sketches']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'subs/01.en.vtt'), captions)
  writeFileSync(join(folder, 'subs/01.es.vtt'), 'Hola')
  writeFileSync(join(folder, '../sketches/01.mp4'), '')
  const { notes, refused } = await run(join(folder, '..'))
  expect(notes[0]).toBe('not used: sketches (a folder without video.yaml).')
  expect(refused.map(({ file }) => file)).toEqual(['nested/subs/01.es.vtt'])
  expect((await episodesOf('nested'))[0]?.captions).toMatchObject([{ lang: 'en' }])
})
