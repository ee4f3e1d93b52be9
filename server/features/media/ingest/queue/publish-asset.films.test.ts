import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadAdminVideo } from '#server/features/catalog/catalog.ts'
import { reorderEpisodes } from '#server/features/media/media.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { sampleVideoYaml, makeTestVideo } from '#server/testing/media/test-media.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { ingestContextOf } from '#server/testing/media/ingest-context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { importFolder } from '#server/features/media/ingest/import/import-folder.ts'

let root: string
let site: TestSite

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-publish-'))
  site = await startTestSite()
})
afterAll(async () => {
  await site.close()
  rmSync(root, { recursive: true, force: true })
})

async function processVideo(storage: Storage = site.context.storage): Promise<void> {
  const { signal } = new AbortController()
  const context = { ...ingestContextOf(site.context), storage }
  const options = { signal, niceness: 0, onProgress: () => {} }
  expect(await importFolder(context, join(root, 'salt'), options)).toMatchObject({ refused: [] })
}

test('an episode can be published while an operator reorders the video’s episodes', async () => {
  mkdirSync(join(root, 'salt'))
  writeFileSync(join(root, 'salt', 'video.yaml'), sampleVideoYaml)
  for (const name of ['01.mp4', '02.mp4']) makeTestVideo(join(root, 'salt', name), { seconds: 1 })
  await processVideo()
  const { db, database, storage } = site.context
  const episodes = await db.selectFrom('episodes').select(['id', 'video_id']).orderBy('number').execute()
  const ids = episodes.map(({ id }) => id).toReversed()
  const videoId = episodes[0]?.video_id ?? ''
  const order = (onHeld: () => void) =>
    db.transaction().execute(async (tx) => {
      await loadAdminVideo(tx, videoId, { lock: true })
      onHeld()
      await waitForLock(database.pool)
      return reorderEpisodes(tx, videoId, ids)
    })
  let ordering: Promise<unknown> | undefined
  const moveFromWorkDir: Storage['moveFromWorkDir'] = async (path, key, signal) => {
    if (key.startsWith('media/') && !ordering)
      await new Promise<void>((resolve) => {
        ordering = order(resolve)
      })
    return storage.moveFromWorkDir(path, key, signal)
  }
  makeTestVideo(join(root, 'salt', '02.mp4'), { seconds: 1, noise: true })
  await processVideo({ ...storage, moveFromWorkDir })
  await expect(ordering).resolves.toHaveLength(2)
  const now = await db.selectFrom('episodes').select(['id', 'next_asset_id']).orderBy('number').execute()
  expect(now.map(({ id }) => id)).toEqual(ids)
})
