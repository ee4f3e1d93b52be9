import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RunningExperiment } from '#server/features/experiments/assign-variant.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { newId } from '#server/platform/ids.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { mediaContext } from '#server/testing/media/media-context.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import { loadFreePlayable, loadPlayable, type MediaContext } from './media.ts'

const clock = { now: () => new Date('2026-03-01T12:00:00Z') }
const viewer: Viewer = { userId: newId('usr'), role: 'member', isStored: true }

let database: TestDatabase
let context: MediaContext
let running: RunningExperiment[]

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => {
  running = []
  context = mediaContext({
    db: database.db,
    clock,
    running: () => running,
    offerFor: () => Promise.reject(new Error('no offer is needed')),
  })
})

const build = (options?: Parameters<typeof buildVideo>[1]) =>
  buildVideo({ db: database.db, storage: noStorage }, options)
const idOf = (video: BuiltVideo, number: number) => video.episodes[number - 1]?.id ?? ''
const load = (video: BuiltVideo, number: number) =>
  loadFreePlayable(context, viewer, idOf(video, number), 'en')

test('an episode loads without a query of entitlements if it and the next one are free', async () => {
  const video = await build({ episodes: 3, freeEpisodes: 3 })
  const entitlementQueries = recordQueries('entitlements')
  const [first, last] = [await load(video, 1), await load(video, 3)]
  expect(entitlementQueries()).toEqual([])
  expect(first).toEqual(await loadPlayable(context, viewer, idOf(video, 1), 'en'))
  expect(first?.next).toEqual({ id: idOf(video, 2), number: 2, state: 'free' })
  expect(last?.episode).toMatchObject({ id: idOf(video, 3), state: 'free' })
  expect(last?.next).toBeNull()
})

test('entitlements are needed for a locked episode, and for an episode whose next episode is locked', async () => {
  const video = await build({ episodes: 4, freeEpisodes: 2 })
  expect(await load(video, 1)).toBeDefined()
  expect(await load(video, 2)).toBeUndefined()
  expect(await load(video, 3)).toBeUndefined()
  // The last episode is locked, and no next episode is.
  expect(await load(video, 4)).toBeUndefined()
})

test('while an experiment is running, no episode loads without entitlements', async () => {
  const video = await build()
  expect(await load(video, 1)).toBeDefined()
  const variants = [{ share: 50 }, { share: 50, free_episodes: 5 }]
  running = [{ id: 'exp_1', kind: 'free_episodes', target: null, currency: null, variants }]
  expect(await load(video, 1)).toBeUndefined()
})

test('an episode that is unknown or not ready does not load', async () => {
  const coming = await build({ ready: 0 })
  expect(await load(coming, 1)).toBeUndefined()
  expect(await loadFreePlayable(context, viewer, 'ep_none', 'en')).toBeUndefined()
})
