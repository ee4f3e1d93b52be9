import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addFavorite, listFavorites, listHistory, removeFavorites, saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { avoidEndOfPeriod } from '#server/testing/avoid-end-of-period.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'
import { aggregateFavorites, aggregatePlays } from './counts/aggregate-counts.ts'
import { mergeLibrary } from './library.ts'

const settings = { APP_SECRET: 'a secret that both processes of this test share' }
let sites: TestSite[]
let videos: BuiltVideo[]
/** The devices of one viewer, alternating between the two processes. */
let devices: Visitor[]

beforeAll(async () => {
  const database = await createTestDatabase()
  const shared = { ...database, close: () => Promise.resolve() }
  sites = [await startTestSite({ database }, settings), await startTestSite({ database: shared }, settings)]
})
afterAll(async () => {
  for (const site of sites.toReversed()) await site.close()
})
beforeEach(async () => {
  // A play counts again in the next half hour.
  await avoidEndOfPeriod(30 * 60_000)
  videos = []
  for (let i = 0; i < 5; i++) videos.push(await buildVideo(context(), { episodes: 5, freeEpisodes: 5 }))
  devices = await devicesOf(10)
})

function context() {
  const [site] = sites
  if (!site) throw new Error('no site')
  return site.context
}

async function devicesOf(count: number): Promise<Visitor[]> {
  const first = sites[0]?.visitor() ?? new Visitor('')
  await first.callOk(getUser)
  return Array.from({ length: count }, (_, i) => {
    const device = sites[i % 2]?.visitor() ?? first
    device.cookie = first.cookie
    return device
  })
}

const started = Date.now() - 60_000
const save = (device: Visitor | undefined, video: number, episode: number, position_ms: number) =>
  device?.callOk(saveHistory, {
    body: {
      video_id: videos[video]?.id ?? '',
      episode_id: videos[video]?.episodes[episode]?.id ?? '',
      position_ms,
      at: new Date(started + position_ms).toISOString(),
    },
  })
const ids = () => videos.map(({ id }) => id)

async function counts() {
  await Promise.all(
    sites.flatMap(({ context: { db } }) => [aggregatePlays(db), aggregateFavorites(db), aggregatePlays(db)]),
  )
  const rows = await context()
    .db.selectFrom('videos')
    .select(['play_count', 'favorite_count'])
    .where('id', 'in', ids())
    .orderBy('id')
    .execute()
  return rows
}

describe('ten devices of one viewer on two processes', () => {
  it('save positions: the history has the latest position of each video, and each play counts once', async () => {
    const writes = devices.flatMap((device, i) =>
      videos.map((_, video) => () => save(device, video, i % 5, 1 + ((i * 7 + video * 3) % 10) * 1000)),
    )
    await Promise.all(writes.map((write) => write()))
    const { list } = (await devices[3]?.callOk(listHistory)) ?? { list: [] }
    expect(Object.fromEntries(list.map((entry) => [entry.video.id, entry.position_ms]))).toEqual(
      Object.fromEntries(ids().map((id) => [id, 9001])),
    )
    expect(await counts()).toEqual(videos.map(() => ({ play_count: 5, favorite_count: 0 })))
  })

  it('remove and watch the same videos concurrently without a deadlock', async () => {
    await Promise.all(videos.map((_, video) => save(devices[0], video, 0, 1000)))
    const all = await Promise.all(
      devices.flatMap((device, i) => [
        device.callOk(saveHistory, { body: { remove: i % 2 ? ids() : ids().toReversed() } }),
        save(device, i % 5, 0, 500),
      ]),
    )
    const removed = all.reduce((sum, answer) => sum + (answer?.removed ?? 0), 0)
    expect(removed).toBe(5)
    expect(await devices[0]?.callOk(listHistory)).toMatchObject({ list: [] })
  })

  it('add and remove a favorite once, however often they repeat the call', async () => {
    const onEveryDevice = (work: (device: Visitor) => Promise<unknown>) => Promise.all(devices.map(work))
    const add = (device: Visitor) =>
      Promise.all(ids().map((video_id) => device.callOk(addFavorite, { body: { video_id } })))
    await onEveryDevice(add)
    expect((await devices[1]?.callOk(listFavorites))?.list).toHaveLength(5)
    expect(await counts()).toMatchObject(videos.map(() => ({ favorite_count: 1 })))
    await onEveryDevice(async (device) => {
      await device.callOk(removeFavorites, { body: { video_ids: ids() } })
      await add(device)
      await device.callOk(removeFavorites, { body: { video_ids: ids().toReversed() } })
    })
    expect(await devices[1]?.callOk(listFavorites)).toMatchObject({ list: [] })
    expect(await counts()).toMatchObject(videos.map(() => ({ favorite_count: 0 })))
  })
})

describe('many viewers', () => {
  it('watch and like the same videos while several processes count, and the totals are exact', async () => {
    const viewers = await Promise.all(Array.from({ length: 12 }, async () => (await devicesOf(1))[0]))
    const aggregation = { on: true }
    const folders = sites.map(async ({ context: { db } }) => {
      while (aggregation.on) await Promise.all([aggregatePlays(db), aggregateFavorites(db)])
    })
    await Promise.all(
      viewers.flatMap((viewer) =>
        videos.flatMap(({ id }, video) => [
          save(viewer, video, 0, 1),
          viewer?.callOk(addFavorite, { body: { video_id: id } }),
        ]),
      ),
    )
    aggregation.on = false
    await Promise.all(folders)
    expect(await counts()).toEqual(videos.map(() => ({ play_count: 12, favorite_count: 12 })))
  })

  it('sign in to one account concurrently, and all their records are merged once', async () => {
    const [member, ...guests] = (await Promise.all([1, 2, 3, 4].map(() => devicesOf(1)))).flat()
    await save(member, 0, 0, 1)
    for (const [i, guest] of guests.entries())
      for (const [video, { id }] of videos.entries()) {
        await save(guest, video, 0, 1 + i)
        await guest?.callOk(addFavorite, { body: { video_id: id } })
      }
    const memberId = (await member?.callOk(getUser))?.id ?? ''
    const guestIds = await Promise.all(guests.map(async (guest) => (await guest?.callOk(getUser))?.id ?? ''))
    await Promise.all(
      [...guestIds, ...guestIds].map((guestId, i) =>
        sites[i % 2]?.context.db.transaction().execute((tx) => mergeLibrary(tx, guestId, memberId)),
      ),
    )
    expect((await member?.callOk(listHistory))?.list.map(({ position_ms }) => position_ms)).toEqual(
      videos.map(() => 3),
    )
    expect((await member?.callOk(listFavorites))?.list).toHaveLength(5)
    expect(await counts()).toEqual(videos.map(() => ({ play_count: 1, favorite_count: 1 })))
  })
})
