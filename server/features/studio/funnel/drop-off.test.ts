import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { listDropOff } from '#contract/studio/funnel.ts'
import { aggregateEpisodeViewers } from '#server/features/library/counts/aggregate-counts.ts'
import { eraseLibrary, exportLibrary, mergeLibrary } from '#server/features/library/library.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import { flushPositions } from '#server/testing/site/flush-positions.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const halfHour = 30 * 60_000
/** Duration of the episodes that `buildVideo` creates. */
const length = 18_000
let offset = 0
let site: TestSite
let analyst: TestOperator
let video: BuiltVideo
beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => new Date(Date.now() + offset) } })
  analyst = await signInOperator(site, 'analyst')
})
afterAll(() => site.close())
beforeEach(async () => {
  video = await buildVideo(site.context)
})

const idOf = (number: number) => video.episodes[number - 1]?.id ?? ''

async function createWatcher() {
  const visitor = site.visitor()
  const { id } = await visitor.callOk(getUser)
  const watch = async (number: number, position_ms: number) => {
    const at = site.context.clock.now().toISOString()
    await visitor.callOk(saveHistory, {
      body: { video_id: video.id, episode_id: idOf(number), position_ms, at },
    })
    await flushPositions(visitor)
  }
  return { id, watch }
}

/** Returns starts and finishes by episode, for episodes that were started. */
async function viewers() {
  await aggregateEpisodeViewers(site.context)
  const { list } = await analyst.studio.callOk(listDropOff, { query: { video_id: video.id } })
  const seen = list.filter(({ started }) => started > 0)
  return Object.fromEntries(seen.map(({ number, started, finished }) => [number, [started, finished]]))
}

it('each viewer counts as one start of an episode and, from nine tenths of its length, as one finish', async () => {
  const [one, other] = [await createWatcher(), await createWatcher()]
  await one.watch(1, 100)
  await one.watch(1, length * 0.9 - 1)
  await other.watch(1, 200)
  expect(await viewers()).toEqual({ 1: [2, 0] })
  await one.watch(1, length * 0.9)
  await one.watch(1, length)
  await one.watch(2, length)
  expect(await viewers()).toEqual({ 1: [2, 1], 2: [1, 1] })
  offset += 3 * halfHour
  await one.watch(1, 0)
  await one.watch(1, length)
  expect(await viewers()).toEqual({ 1: [2, 1], 2: [1, 1] })
})

it('every episode is listed in order and in pages, including episodes without viewers', async () => {
  const { watch } = await createWatcher()
  await watch(2, 0)
  await aggregateEpisodeViewers(site.context)
  const query = { video_id: video.id }
  const all = await analyst.studio.callOk(listDropOff, { query })
  expect(all.list.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
  expect(all.since).not.toBeNull()
  const first = await analyst.studio.callOk(listDropOff, { query: { ...query, limit: 4 } })
  const rest = await analyst.studio.callOk(listDropOff, {
    query: { ...query, cursor: first.next_cursor ?? '' },
  })
  expect([...first.list, ...rest.list]).toEqual(all.list)
  expect(rest.next_cursor).toBeNull()
})

it('an unknown video is not found', async () => {
  const { answer } = await analyst.studio.call(listDropOff, { query: { video_id: 'vid_nowhere' } })
  expect(answer.code).toBe(404)
})

it('after a sign-in, the guest and the member count as one viewer, whatever was already counted', async () => {
  const [guest, member] = [await createWatcher(), await createWatcher()]
  await guest.watch(1, length)
  await member.watch(1, length)
  await guest.watch(2, length)
  await member.watch(2, 1)
  expect(await viewers()).toEqual({ 1: [2, 2], 2: [2, 1] })
  await guest.watch(3, length)
  await site.context.db.transaction().execute((tx) => mergeLibrary(tx, guest.id, member.id))
  expect(await viewers()).toEqual({ 1: [1, 1], 2: [1, 1], 3: [1, 1] })
  await member.watch(2, length)
  expect(await viewers()).toEqual({ 1: [1, 1], 2: [1, 1], 3: [1, 1] })
})

it('the episode views of a user are exported and deleted with the account, but the totals remain', async () => {
  const { id, watch } = await createWatcher()
  await watch(1, length)
  await watch(2, 1)
  const { episode_views } = await readExportParts(exportLibrary(site.context.db, id))
  expect(episode_views).toHaveLength(2)
  expect(episode_views).toContainEqual({ episode_id: idOf(1), finished: true })
  await site.context.db.transaction().execute((tx) => eraseLibrary(tx, id, site.context.clock.now()))
  expect((await readExportParts(exportLibrary(site.context.db, id)))['episode_views']).toEqual([])
  expect(await viewers()).toEqual({ 1: [1, 1], 2: [1, 0] })
})

it('each viewer counts once even if several processes aggregate concurrently', async () => {
  const people = await Promise.all(Array.from({ length: 20 }, () => createWatcher()))
  await Promise.all(people.map(({ watch }) => watch(1, length)))
  await Promise.all([
    aggregateEpisodeViewers(site.context),
    aggregateEpisodeViewers(site.context),
    aggregateEpisodeViewers(site.context),
  ])
  expect(await viewers()).toEqual({ 1: [20, 20] })
})
