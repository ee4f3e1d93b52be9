import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleVideoYaml, makeTestVideo } from '#server/testing/media/test-media.ts'
import { ingestContextOf } from '#server/testing/media/ingest-context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { importFolder } from '#server/features/media/ingest/import/import-folder.ts'

let root: string
let site: TestSite

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-covers-'))
  site = await startTestSite()
})
afterAll(async () => {
  await site.close()
  rmSync(root, { recursive: true, force: true })
})

/**
 * Imports a folder again, with one new episode.
 * @returns the path of the video's cover, and how sharp the cover is
 */
async function addEpisode(name: string, episode: string, film = {}) {
  const folder = join(root, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'video.yaml'), sampleVideoYaml)
  makeTestVideo(join(folder, episode), { seconds: 1, ...film })
  const { signal } = new AbortController()
  const onProgress = () => {}
  const context = ingestContextOf(site.context)
  const { refused } = await importFolder(context, folder, { signal, niceness: 0, onProgress })
  expect(refused).toEqual([])
  const { cover_path } = await site.context.db
    .selectFrom('videos')
    .select('cover_path')
    .where('slug', '=', name)
    .executeTakeFirstOrThrow()
  // The name has no digits, which scanners could mistake for a card number.
  expect(cover_path).toMatch(/^public\/covers\/(still-)?[a-p]{24}\.webp$/)
  const response = await site.visitor().fetch(`/${cover_path}`)
  expect(response.status).toBe(200)
  const { sharpness } = await sharp(Buffer.from(await response.arrayBuffer())).stats()
  return { path: cover_path, sharpness }
}

test('a locked episode gives the video a blurred cover, which the first free episode replaces with its own image', async () => {
  const blurred = await addEpisode('locked-first', '02.mp4')
  // The image of this episode is different, so it would give a different cover.
  expect((await addEpisode('locked-first', '03.mp4', { noise: true })).path).toBe(blurred.path)
  const own = await addEpisode('locked-first', '01.mp4')
  expect(own.sharpness).toBeGreaterThan(2 * blurred.sharpness)
  expect((await addEpisode('locked-first', '04.mp4', { noise: true })).path).toBe(own.path)
})
