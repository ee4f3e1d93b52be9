import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMediaKeys } from '#server/features/media/media-keys.ts'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { diskRoot } from '#server/testing/media/disk-root.ts'
import { runScript } from '#server/testing/crash/run-script.ts'
import { makeTestVideo, programs } from '#server/testing/media/test-media.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { enqueueFolder } from '#server/features/media/ingest/import/import-folder.ts'
import { parsePlaylist } from '#server/features/media/ingest/convert/playlists.ts'
import { purgeWorkFolders } from '#server/platform/storage/work-folder.ts'

const description = `title: { en: Salt }
synopsis: { en: Two sisters. }
category: family-drama
tags: [sea]
free_episodes: 1
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`
const episodes = 8
/**
 * Milliseconds after which workers are killed. They range from before the first statement to after the first episode.
 */
const crashDelaysMs = [150, 400, 650, 300, 900, 520, 1200, 780, 250, 1050]

let root: string
let database: TestDatabase
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-queue-'))
  database = await createTestDatabase()
  // Records every change of state. For each asset, the records are in the order of the commits.
  await sql`CREATE TABLE moves (id bigserial PRIMARY KEY, asset text NOT NULL, state text NOT NULL)`.execute(
    database.db,
  )
  await sql`CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO moves (asset, state) VALUES (NEW.id, NEW.state); RETURN NULL; END $$`.execute(
    database.db,
  )
  await sql`CREATE TRIGGER note_move AFTER UPDATE OF state ON assets FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION note_move()`.execute(database.db)
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})

const dataDir = () => join(root, 'data')
const work = (when: string, at = 0) =>
  runScript('ingest-and-crash.ts', [
    database.url,
    dataDir(),
    programs.ffmpegPath,
    programs.ffprobePath,
    when,
    String(at),
  ])

async function enqueue(): Promise<void> {
  const folder = join(root, 'salt')
  mkdirSync(folder)
  writeFileSync(join(folder, 'video.yaml'), description)
  makeTestVideo(join(root, 'film.mp4'), { seconds: 2 })
  for (let number = 1; number <= episodes; number++)
    copyFileSync(join(root, 'film.mp4'), join(folder, `0${number}.mp4`))
  const context = {
    db: database.db,
    storage: openDisk(dataDir()),
    clock: { now: () => new Date() },
    log: createLog({ json: true, level: 'silent' }),
    programs,
    mediaKeys: createMediaKeys('a secret of the tests', false),
  }
  const { signal } = new AbortController()
  const { refused } = await enqueueFolder(context, folder, {
    signal,
    release: 'whenReady',
    priority: () => 10,
  })
  expect(refused).toEqual([])
}

/** Returns the state changes of each asset, oldest first. */
async function movesByAsset(): Promise<string[][]> {
  const { rows } = await sql<{ states: string[] }>`
    SELECT array_agg(state ORDER BY id) AS states FROM moves GROUP BY asset`.execute(database.db)
  return rows.map(({ states }) => states)
}

test('several workers in several processes convert each episode once, even if they are killed at any moment', async () => {
  await enqueue()
  // These workers are killed after all files of an episode were moved, but before the commit.
  for (const at of [1, 2]) expect((await work('moved', at)).signal).toBe('SIGKILL')
  // Two workers run at a time. When a worker is killed, another one replaces it.
  const remainingDelays = crashDelaysMs.values()
  const replaced = async () => {
    let killed = 0
    for (const at of remainingDelays) if ((await work('after', at)).signal === 'SIGKILL') killed++
    return killed
  }
  const killed = (await Promise.all([replaced(), replaced()])).reduce((sum, count) => sum + count, 0)
  expect(killed).toBeGreaterThan(3)
  expect((await Promise.all([work('never'), work('never')])).map(({ signal }) => signal)).toEqual([
    null,
    null,
  ])

  const moves = await movesByAsset()
  expect(moves).toHaveLength(episodes)
  // Each asset is converted once. After each kill, it is requeued and claimed again. No worker claims an asset that
  // another worker holds.
  for (const states of moves) expect(states.join(' ')).toMatch(/^(processing uploaded )*processing ready$/)
  const putBack = moves.flat().filter((state) => state === 'uploaded').length
  expect(putBack).toBeGreaterThan(0)
  expect(putBack, 'no asset of a living worker is requeued').toBeLessThanOrEqual(killed + 2)
  await expectWhole()
}, 600_000)

/** Checks that every episode plays a separate asset with all its parts, and that no unfinished file remains. */
async function expectWhole(): Promise<void> {
  const playing = await database.db
    .selectFrom('episodes')
    .innerJoin('assets', 'assets.id', 'asset_id')
    .select(['folder', 'next_asset_id'])
    .execute()
  expect(new Set(playing.map(({ folder }) => folder)).size).toBe(episodes)
  const storage = openDisk(dataDir())
  for (const { folder, next_asset_id } of playing) {
    expect(next_asset_id).toBeNull()
    for (const name of ['v0', 'a']) {
      const files = join(diskRoot(storage), `media/${folder}/${name}`)
      const segments = parsePlaylist(readFileSync(join(files, 'index.m3u8'), 'utf8'))
      expect(segments).toHaveLength(2)
      expect(segments.every(({ uri }) => existsSync(join(files, uri)))).toBe(true)
    }
  }
  await purgeWorkFolders(storage)
  expect(readdirSync(storage.workDir).filter((name) => !name.startsWith(`process-${process.pid}-`))).toEqual(
    [],
  )
}
