import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Tx } from '#server/tables.ts'
import { removeEpisode, retryEpisode } from './admin-episodes.ts'
import { announceEpisodes } from './ingest/queue/announce-episodes.ts'
import { enqueueEpisode } from './ingest/queue/enqueue-episode.ts'
import type { IngestContext } from './ingest/ingest-context.ts'
import { createMediaKeys } from './media-keys.ts'

let root: string
let database: TestDatabase
let context: IngestContext
let videoId: string
let episodeId: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-lock-order-'))
  database = await createTestDatabase()
  context = {
    db: database.db,
    storage: openDisk(join(root, 'data')),
    clock: { now: () => new Date() },
    log: createLog({ json: true, level: 'silent' }),
    programs: { ffmpegPath: 'ffmpeg', ffprobePath: 'ffprobe' },
    mediaKeys: createMediaKeys('a secret of the tests', false),
  }
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(async () => {
  const video = await buildVideo(context, { episodes: 1, ready: 0 })
  videoId = video.id
  episodeId = video.episodes[0]?.id ?? ''
  const failed = { state: 'failed' as const, original_path: `originals/${videoId}.mp4` }
  const ofVideo = database.db.selectFrom('episodes').select('next_asset_id').where('video_id', '=', videoId)
  await database.db.updateTable('assets').set(failed).where('id', '=', ofVideo).execute()
})

/** Does not use `inTransaction`, which retries after a deadlock and would hide it. */
const once = (work: (tx: Tx) => Promise<unknown>) => database.db.transaction().execute(work)
const mediaContext = () => ({
  db: database.db,
  clock: context.clock,
  mediaSecrets: ['a secret of the tests'],
})

async function addFile(): Promise<void> {
  const path = join(root, `${videoId}.mp4`)
  writeFileSync(path, videoId)
  const captions = { captions: new Map<never, never>(), keptCaptions: new Set<never>() }
  const file = { videoId, number: 1, path, name: '01.mp4', priority: 0, ...captions }
  await enqueueEpisode(context, file, new AbortController().signal)
}

const works: [name: string, work: () => Promise<unknown>][] = [
  ['announcing episodes', () => announceEpisodes(context, videoId, [{ en: 'One' }])],
  ['adding a file', addFile],
  ['retrying a failed file', () => once((tx) => retryEpisode(mediaContext(), tx, episodeId, 'en'))],
  ['removing an episode', () => once((tx) => removeEpisode(tx, episodeId, new Date()))],
]

it.each(works)('%s locks the video before the episode, as publishing an asset does', async (_name, work) => {
  const publishing = await database.pool.connect()
  await publishing.query('BEGIN')
  await publishing.query('SELECT FROM videos WHERE id = $1 FOR NO KEY UPDATE', [videoId])
  const working = work()
  await waitForLock(database.pool)
  // NOWAIT fails at once if the operation has locked the episode: then it and publishing would deadlock.
  const episode = publishing.query('SELECT FROM episodes WHERE id = $1 FOR UPDATE NOWAIT', [episodeId])
  await expect(episode).resolves.toMatchObject({ rowCount: 1 })
  await publishing.query('COMMIT')
  publishing.release()
  await working
})
