import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getEpisode, type PlayableEpisode } from '#contract/media.ts'
import { getUser } from '#contract/members.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import { agedStorage } from '#server/testing/aged-storage.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { sampleVideoYaml, makeTestVideo, programs } from '#server/testing/media/test-media.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { workerDb } from '#server/testing/database/worker-db.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import {
  mediaJobs,
  purgeDeletedAssets,
  purgeStorage,
  type PurgeContext,
} from './ingest/storage/purge-storage.ts'
import { enqueueFolder, importFolder } from './ingest/import/import-folder.ts'
import { processNextAsset } from './ingest/queue/ingest-queue.ts'
import type { IngestContext } from './ingest/ingest-context.ts'

let root: string
let store: FakeS3
let site: TestSite
const silentLog = createLog({ json: true, level: 'silent' })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-bucket-'))
  store = await startFakeS3()
  site = await startTestSite({}, store.settings)
})
afterEach(() => store.setFault(() => undefined))
afterAll(async () => {
  await site.close()
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

/** Creates a machine. It uses the site's database and bucket, and has its own disk. */
async function machine(name: string): Promise<IngestContext & { disk: string }> {
  const disk = join(root, name)
  const config = loadConfig({ ...store.settings, DATA_DIR: disk })
  const { database, clock, mediaKeys } = site.context
  return {
    db: workerDb(database),
    clock,
    mediaKeys,
    log: silentLog,
    programs,
    storage: await openStorage(config, silentLog, site.context.siteId),
    disk,
  }
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'app-secret')
    .map(({ name }) => name)

async function play(episodeId: string): Promise<PlayableEpisode> {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  return (await visitor.callOk(getEpisode, { query: { episode_id: episodeId } })) as PlayableEpisode
}

const siblingUrl = (url: string, file: string) => url.replace('master.m3u8', file)
const linksOf = (playlist: string) => playlist.match(/https?:[^"\s]+/g) ?? []

it('a video is imported on one machine, converted on a second and played from a third, and no disk stores its files', async () => {
  const [importer, worker] = [await machine('importer'), await machine('worker')]
  const folder = join(root, 'salt')
  mkdirSync(folder)
  writeFileSync(join(folder, 'video.yaml'), sampleVideoYaml)
  writeFileSync(join(folder, '01.en.vtt'), 'WEBVTT\n\n00:00:00.100 --> 00:00:00.900\nHello\n')
  makeTestVideo(join(folder, '01.mp4'), { seconds: 1 })
  const { signal } = new AbortController()
  const whenReady = { signal, release: 'whenReady', priority: () => 10 } as const
  const { videoId = '', refused } = await enqueueFolder(importer, folder, whenReady)
  expect(refused).toEqual([])
  expect(await processNextAsset(worker, { signal, niceness: 0 })).toBeDefined()
  const { id = '', cover_path } = await site.context.db
    .selectFrom('videos')
    .innerJoin('episodes', 'episodes.video_id', 'videos.id')
    .select(['episodes.id', 'cover_path'])
    .where('videos.id', '=', videoId)
    .executeTakeFirstOrThrow()
  const { playback } = await play(id)
  const master = await (await site.visitor().fetch(playback.hls_url)).text()
  expect(master).toContain('v0/index.m3u8')
  expect(linksOf(master)).toEqual([])
  for (const rendition of ['v0', 'a']) {
    const response = await site.visitor().fetch(siblingUrl(playback.hls_url, `${rendition}/index.m3u8`))
    expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
    // A playlist contains links with one viewer's signature, so no shared cache may store it.
    expect(response.headers.get('x-accel-expires')).toBe('0')
    const links = linksOf(await response.text())
    expect(links.length).toBeGreaterThan(1)
    for (const link of links) {
      expect(link.startsWith(`${store.url}/films/media/`)).toBe(true)
      const file = await fetch(link)
      expect(file.status).toBe(200)
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100)
    }
  }
  const caption = await site.visitor().fetch(playback.captions[0]?.url ?? '')
  expect([caption.headers.get('content-type'), await caption.text()]).toEqual([
    'text/vtt; charset=utf-8',
    expect.stringContaining('Hello'),
  ])
  const { headers } = await site.visitor().fetch(playback.poster_url)
  expect(headers.get('location')?.startsWith(store.url)).toBe(true)
  const poster = await fetch(headers.get('location') ?? '')
  expect(poster.headers.get('content-type')).toBe('image/webp')
  const cover = await site.visitor().fetch(`/${cover_path}`)
  expect([cover.status, cover.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ])
  for (const { disk } of [importer, worker]) expect(filesIn(disk)).toEqual([])
  await site.context.db
    .updateTable('assets')
    .set({ deleted_at: new Date(0) })
    .execute()
  await site.context.db.updateTable('episodes').set({ asset_id: null }).execute()
  await purgeDeletedAssets(worker, new Date())
  const remaining: string[] = []
  for (const folder of ['media', 'originals'])
    for await (const { key } of worker.storage.list(folder)) remaining.push(key)
  expect(remaining).toEqual([])
})

describe('a link to the object storage', () => {
  const segmentLink = async () => {
    const video = await buildVideo(site.context)
    const [free, , , locked] = video.episodes
    const playlist = `media/${free?.assetId}/v0/index.m3u8`
    await site.context.storage.write(
      playlist,
      '#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:2,\n00000.m4s\n#EXT-X-ENDLIST\n',
    )
    const { playback } = await play(free?.id ?? '')
    const text = await (await site.visitor().fetch(siblingUrl(playback.hls_url, 'v0/index.m3u8'))).text()
    const link = linksOf(text)[1] ?? ''
    return { link, text, playback, free: free?.assetId ?? '', locked: locked?.assetId ?? '' }
  }

  it('opens only its own file, in full or in ranges, and fails if altered', async () => {
    const { link, free, locked } = await segmentLink()
    expect(await (await fetch(link)).text()).toBe('segment-bytes')
    const range = await fetch(link, { headers: { range: 'bytes=0-6' } })
    expect([range.status, await range.text()]).toEqual([206, 'segment'])
    for (const altered of [
      link.replace(free, locked),
      link.replace('00000.m4s', '00001.m4s'),
      link.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=99999'),
      link.replace(/\?.*/, ''),
    ]) {
      expect(altered).not.toBe(link)
      expect((await fetch(altered)).status, altered).toBe(403)
    }
  })

  it('expires with the episode’s signature, and is the same while that signature is valid', async () => {
    const { link, text, playback } = await segmentLink()
    const { searchParams } = new URL(link)
    const signed = (searchParams.get('X-Amz-Date') ?? '').replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
      '$1-$2-$3T$4:$5:$6Z',
    )
    expect(Date.parse(signed)).toBeLessThan(Date.now())
    const end = Date.parse(signed) + 1000 * Number(searchParams.get('X-Amz-Expires'))
    expect(new Date(end).toISOString()).toBe(playback.expires_at)
    const again = await site.visitor().fetch(siblingUrl(playback.hls_url, 'v0/index.m3u8'))
    expect(await again.text()).toBe(text)
  })

  it.each(['master.m3u8', 'v0/index.m3u8', 'v0/00000.m4s', 'captions/en.vtt', 'thumb.webp'])(
    'is not issued without a valid signature (%s)',
    async (file) => {
      const { playback, free, locked } = await segmentLink()
      for (const path of [
        siblingUrl(playback.hls_url, file).replace(free, locked),
        `/media/x/${locked}/${file}`,
        siblingUrl(playback.hls_url, `..%2f${locked}%2f${file.replaceAll('/', '%2f')}`),
        `/public/..%2fmedia%2f${locked}%2f${file.replaceAll('/', '%2f')}`,
      ]) {
        const response = await site.visitor().fetch(path)
        expect([403, 404], path).toContain(response.status)
        expect(response.headers.get('location')).toBe(null)
        expect(await response.text()).toBe('')
      }
    },
  )
})

it('the response is 503 instead of 404 while the storage is unreachable', async () => {
  const video = await buildVideo(site.context)
  const { playback } = await play(video.episodes[0]?.id ?? '')
  store.setFault(() => 'fail')
  const away = await site.visitor().fetch(playback.hls_url)
  expect([away.status, away.headers.get('retry-after'), away.headers.get('cache-control')]).toEqual([
    503,
    '5',
    'no-store',
  ])
  store.setFault(() => undefined)
  expect((await site.visitor().fetch(playback.hls_url)).status).toBe(200)
  expect((await site.visitor().fetch(siblingUrl(playback.hls_url, 'none.vtt'))).status).toBe(404)
})

it('the response is 503 without a long wait if the storage does not respond', async () => {
  const video = await buildVideo(site.context)
  const { playback } = await play(video.episodes[0]?.id ?? '')
  store.setFault(() => 'stall')
  const answers = ['master.m3u8', 'captions/en.vtt'].map((file) =>
    site.visitor().fetch(siblingUrl(playback.hls_url, file)),
  )
  // Reads for viewers have a shorter timeout than reads by the worker.
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503])
})

it('documents may load videos and images from the storage', async () => {
  const policy = (await site.visitor().fetch('/')).headers.get('content-security-policy') ?? ''
  for (const part of ['media-src', 'img-src', 'connect-src'])
    expect(policy.split('; ').find((line) => line.startsWith(part))).toContain(store.url)
})

it('with a cache in front of the storage, a link is redirected to the same signed path at the cache', async () => {
  const behind = await startTestSite(
    {},
    {
      ...store.settings,
      S3_BUCKET: 'films-2',
      S3_PUBLIC_URL: 'https://cdn.example/',
    },
  )
  try {
    const video = await buildVideo(behind.context)
    const visitor = behind.visitor()
    await visitor.callOk(getUser)
    const query = { episode_id: video.episodes[0]?.id ?? '' }
    const { playback } = (await visitor.callOk(getEpisode, { query })) as PlayableEpisode
    const poster = await visitor.fetch(playback.poster_url)
    expect(poster.headers.get('location')).toBe(`https://cdn.example${playback.poster_url}`)
    const policy = (await visitor.fetch('/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("media-src 'self' blob: https://cdn.example;")
  } finally {
    await behind.close()
  }
})

it.each([
  ['with links to the storage', { S3_BUCKET: 'films-3' }],
  ['with a cache in front of the storage', { S3_BUCKET: 'films-4', S3_PUBLIC_URL: 'https://cdn.example' }],
])(
  'the playlist of an encrypted episode refers to its key, which only the site serves (%s)',
  async (_how, settings) => {
    const encryptingSite = await startTestSite(
      {},
      { ...store.settings, ...settings, MEDIA_ENCRYPTION: 'aes-128' },
    )
    try {
      const folder = join(root, `encrypted-${Object.keys(settings).length}`)
      mkdirSync(folder)
      writeFileSync(join(folder, 'video.yaml'), sampleVideoYaml)
      makeTestVideo(join(folder, '01.mp4'), { seconds: 1 })
      const { signal } = new AbortController()
      const { refused } = await importFolder({ ...encryptingSite.context, programs }, folder, {
        signal,
        niceness: 0,
        onProgress: () => {},
      })
      expect(refused).toEqual([])
      const { id } = await encryptingSite.context.db
        .selectFrom('episodes')
        .select('id')
        .executeTakeFirstOrThrow()
      const visitor = encryptingSite.visitor()
      await visitor.callOk(getUser)
      const { playback } = (await visitor.callOk(getEpisode, {
        query: { episode_id: id },
      })) as PlayableEpisode
      const path = siblingUrl(playback.hls_url, 'v0/index.m3u8')
      const playlist = await (await visitor.fetch(path)).text()
      const [, uri = ''] = /^#EXT-X-KEY:METHOD=AES-128,URI="(.*)"$/m.exec(playlist) ?? []
      // The URI of the key is relative, so that the player requests it from the playlist's host, which is the site.
      expect(uri).toBe('../key')
      const key = await visitor.fetch(new URL(uri, new URL(path, encryptingSite.url)).pathname)
      expect([key.status, (await key.arrayBuffer()).byteLength]).toEqual([200, 16])
      expect(linksOf(playlist).length).toBeGreaterThan(1)
    } finally {
      await encryptingSite.close()
    }
  },
)

it.each([
  [{ S3_SECRET_ACCESS_KEY: 'wrong' }, 'S3_SECRET_ACCESS_KEY'],
  [{ S3_BUCKET: 'nowhere' }, 'S3_BUCKET'],
])(
  'a site whose storage refuses access does not start, and the error names the setting (%j)',
  async (wrong, name) => {
    const config = loadConfig({ ...store.settings, ...wrong, DATA_DIR: join(root, 'wrong') })
    await expect(openStorage(config, silentLog, site.context.siteId)).rejects.toThrow(name)
  },
)

it('a site starts while the storage is unreachable', async () => {
  store.setFault(() => 'break')
  const config = loadConfig({ ...store.settings, DATA_DIR: join(root, 'away') })
  expect((await openStorage(config, silentLog, site.context.siteId)).delivery.kind).toBe('signed')
})

it("a site does not start with another site's bucket, and does not change that bucket", async () => {
  const video = await buildVideo(site.context)
  const media = `media/${video.episodes[0]?.assetId}/master.m3u8`
  await expect(startTestSite({}, store.settings)).rejects.toThrow(
    /^S3_BUCKET: the bucket films belongs to another site/,
  )
  // The site that owns the bucket can open it again, as a second process or a restart does.
  const config = loadConfig({ ...store.settings, DATA_DIR: join(root, 'again') })
  expect((await openStorage(config, silentLog, site.context.siteId)).delivery.kind).toBe('signed')
  expect(await site.context.storage.exists(media)).toBe(true)
})

it('a site deletes nothing from a bucket that was unreachable at start and belongs to another site', async () => {
  const other = await startTestSite()
  try {
    const config = loadConfig({ ...store.settings, DATA_DIR: join(root, 'late') })
    store.setFault(() => 'break')
    const storage = await openStorage(config, silentLog, other.context.siteId)
    store.setFault(() => undefined)
    const original = 'originals/ast_of_the_first.mp4'
    await site.context.storage.write(original, 'film')
    const twoDaysMs = 48 * 3_600_000
    const runJobs = async (context: PurgeContext) => {
      for (const { run } of mediaJobs(context)) await run(new AbortController().signal)
    }
    const foreign = { ...other.context, storage: agedStorage(storage, twoDaysMs) }
    await expect(purgeStorage(foreign)).rejects.toThrow('another site')
    await expect(runJobs(foreign)).rejects.toThrow('another site')
    expect(await site.context.storage.exists(original)).toBe(true)
    // The site that owns the bucket deletes the file, because no asset has claimed it.
    await runJobs({ ...site.context, storage: agedStorage(site.context.storage, twoDaysMs) })
    expect(await site.context.storage.exists(original)).toBe(false)
  } finally {
    await other.close()
  }
})
