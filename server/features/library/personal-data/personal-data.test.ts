import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getVideo } from '#contract/catalog.ts'
import { addFavorite, listFavorites, listHistory, removeFavorites, saveHistory } from '#contract/library.ts'
import { getUser, signIn } from '#contract/members.ts'
import type { Clock } from '#server/platform/clock.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { insertPaidOrder } from '#server/testing/builders/order-rows.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import type { Tx } from '#server/tables.ts'
import { aggregateFavorites, aggregatePlays } from '#server/features/library/counts/aggregate-counts.ts'
import { updateNextWatched } from '#server/features/library/update-next-watched.ts'
import {
  eraseLibrary,
  exportLibrary,
  grantEntitlement,
  mergeLibrary,
} from '#server/features/library/library.ts'

interface Person {
  visitor: Visitor
  id: string
}

const time = { now: new Date() }
const clock: Clock = { now: () => time.now }
let site: TestSite
let videos: BuiltVideo[]
let guest: Person
let member: Person

beforeAll(async () => {
  site = await startTestSite({ clock })
})
afterAll(() => site.close())
beforeEach(async () => {
  time.now = new Date('2026-03-01T12:10:00Z')
  videos = await Promise.all(Array.from({ length: 3 }, () => buildVideo(site.context)))
  guest = await createPerson()
  member = await createPerson()
})

async function createPerson(): Promise<Person> {
  const visitor = site.visitor()
  return { visitor, id: (await visitor.callOk(getUser)).id }
}

const idOf = (video: number) => videos[video]?.id ?? ''
const inTransaction = (work: (tx: Tx) => Promise<void>) => site.context.db.transaction().execute(work)
const merge = () => inTransaction((tx) => mergeLibrary(tx, guest.id, member.id))

const watch = (person: Person, video: number, position_ms: number, minute: number, episode = 1) =>
  person.visitor.callOk(saveHistory, {
    body: {
      video_id: idOf(video),
      episode_id: videos[video]?.episodes[episode - 1]?.id ?? '',
      position_ms,
      at: `2026-03-01T12:0${minute}:00Z`,
    },
  })

const addToFavorites = (person: Person, video: number) =>
  person.visitor.callOk(addFavorite, { body: { video_id: idOf(video) } })

const watched = async ({ visitor }: Person) =>
  (await visitor.callOk(listHistory)).list.map(({ video, position_ms }) => [video.id, position_ms])
const favorites = async ({ visitor }: Person) =>
  (await visitor.callOk(listFavorites)).list.map(({ id }) => id)

async function counts(video: number) {
  await Promise.all([aggregatePlays(site.context.db), aggregateFavorites(site.context.db)])
  return site.context.db
    .selectFrom('videos')
    .select(['play_count', 'favorite_count'])
    .where('id', '=', idOf(video))
    .executeTakeFirstOrThrow()
}

const updateRanking = () => updateNextWatched(site.context.db, new AbortController().signal)

const buy = (person: Person, video: number) =>
  inTransaction(async (tx) => {
    const orderId = await insertPaidOrder(tx, person.id, time.now)
    const grant = { userId: person.id, orderId, videoId: idOf(video), startsAt: time.now }
    await grantEntitlement(tx, { ...grant, source: 'purchase' })
  })

describe('a merge', () => {
  it('keeps the latest position of each video, and leaves no records with the guest', async () => {
    await watch(guest, 0, 1000, 2)
    await watch(guest, 1, 1000, 4)
    await watch(guest, 2, 1000, 1)
    await watch(member, 0, 2000, 3)
    await watch(member, 1, 2000, 3)
    await merge()
    expect(await watched(member)).toEqual([
      [idOf(1), 1000],
      [idOf(0), 2000],
      [idOf(2), 1000],
    ])
    expect(await watched(guest)).toEqual([])
  })

  it("does not apply the guest's removals to the member's entries, and does not restore entries that the member removed", async () => {
    await watch(guest, 0, 1000, 1)
    await watch(guest, 1, 1000, 1)
    await guest.visitor.callOk(saveHistory, { body: { remove: [idOf(0)] } })
    await watch(member, 0, 2000, 2)
    await watch(member, 1, 2000, 2)
    await member.visitor.callOk(saveHistory, { body: { remove: [idOf(1)] } })
    await merge()
    expect(await watched(member)).toEqual([[idOf(0), 2000]])
  })

  it('joins the two lists of favorites, and lists a common favorite once', async () => {
    await addToFavorites(member, 0)
    time.now = new Date('2026-03-01T12:11:00Z')
    await addToFavorites(member, 1)
    time.now = new Date('2026-03-01T12:12:00Z')
    await addToFavorites(guest, 0)
    await addToFavorites(guest, 2)
    await merge()
    expect(await favorites(member)).toEqual([idOf(2), idOf(1), idOf(0)])
    expect(await addToFavorites(member, 0)).toMatchObject({ favorite_count: 1 })
    expect(await addToFavorites(member, 2)).toMatchObject({ favorite_count: 1 })
    expect([await counts(0), await counts(1), await counts(2)]).toMatchObject(
      Array.from({ length: 3 }, () => ({ favorite_count: 1 })),
    )
  })

  it('moves the guest’s removal, so that a save from before that removal restores nothing', async () => {
    await watch(member, 1, 500, 1)
    await watch(guest, 0, 1000, 1)
    await guest.visitor.callOk(saveHistory, { body: { remove: [idOf(0)], at: '2026-03-01T12:03:00Z' } })
    await merge()
    await watch(member, 0, 2000, 2)
    expect(await watched(member)).toEqual([[idOf(1), 500]])
    await watch(member, 0, 3000, 4)
    expect(await watched(member)).toEqual([
      [idOf(0), 3000],
      [idOf(1), 500],
    ])
  })

  it('counts the same play of guest and member once, whether one, both or neither was already counted', async () => {
    videos.push(await buildVideo(site.context))
    await watch(guest, 0, 1, 1)
    await watch(guest, 3, 1, 1)
    await watch(member, 3, 1, 1)
    expect([await counts(0), await counts(3)]).toMatchObject([{ play_count: 1 }, { play_count: 2 }])
    await watch(member, 0, 1, 1)
    await watch(guest, 1, 1, 1)
    await watch(member, 1, 1, 1)
    await watch(guest, 2, 1, 1)
    await merge()
    const each = async () => {
      const all = []
      for (const video of videos.keys()) all.push(await counts(video))
      return all
    }
    expect(await each()).toMatchObject(videos.map(() => ({ play_count: 1 })))
    await watch(member, 2, 2, 2)
    await merge()
    expect(await each()).toMatchObject(videos.map(() => ({ play_count: 1 })))
  })

  it('counts the same play of guest and member once, even if another process is counting it at that time', async () => {
    const { pool } = site.context.database
    await watch(guest, 0, 1, 1)
    expect(await counts(0)).toMatchObject({ play_count: 1 })
    await watch(member, 0, 1, 1)
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM videos WHERE id = $1 FOR UPDATE', [idOf(0)])
    const aggregating = aggregatePlays(site.context.db)
    await waitForLock(pool)
    await merge()
    await other.query('COMMIT')
    other.release()
    await aggregating
    expect(await counts(0)).toMatchObject({ play_count: 1 })
  })

  it('moves purchases, also if guest and member bought the same video', async () => {
    await watch(guest, 0, 1, 1)
    await watch(member, 0, 1, 1)
    await buy(guest, 0)
    await buy(guest, 1)
    await buy(member, 0)
    await merge()
    const query = { kind: 'unlocked' as const }
    const unlocked = await member.visitor.callOk(listHistory, { query })
    expect(unlocked.list.map(({ video }) => video.id).toSorted()).toEqual([idOf(0), idOf(1)].toSorted())
    expect((await guest.visitor.callOk(listHistory, { query })).list).toEqual([])
    expect(await watch(member, 1, 5, 3, 4)).toMatchObject({ position_ms: 5 })
  })

  it('that is repeated or runs twice concurrently changes nothing the second time', async () => {
    await watch(guest, 0, 1000, 2)
    await watch(member, 1, 2000, 1)
    await addToFavorites(guest, 0)
    await Promise.all([merge(), merge()])
    await merge()
    await inTransaction((tx) => mergeLibrary(tx, member.id, member.id))
    expect(await watched(member)).toEqual([
      [idOf(0), 1000],
      [idOf(1), 2000],
    ])
    expect(await counts(0)).toEqual({ play_count: 1, favorite_count: 1 })
  })
})

describe('signing in', () => {
  it.each([
    ['before', true],
    ['after', false],
  ])(
    'counts a pair of consecutive videos once (the guest’s pair is counted %s the sign-in)',
    async (_words, before) => {
      const { visitor, email } = await registerMember(site)
      await watch({ visitor, id: '' }, 2, 1000, 1)
      await updateRanking()
      await watch(guest, 0, 1000, 2)
      await watch(guest, 1, 1000, 3)
      if (before) await updateRanking()
      await guest.visitor.callOk(signIn, { body: { email, password } })
      await updateRanking()
      const { rows } = await site.context.database.pool.query(
        'SELECT viewers FROM watched_next WHERE video_id = $1 AND next_id = $2',
        [idOf(0), idOf(1)],
      )
      expect(rows).toEqual([{ viewers: 1 }])
    },
  )

  it("moves the guest's records to the account", async () => {
    const { visitor, email } = await registerMember(site, member.visitor)
    await watch(member, 0, 2000, 2)
    await addToFavorites(member, 0)
    await watch(guest, 1, 1000, 3)
    await addToFavorites(guest, 0)
    await addToFavorites(guest, 2)
    await guest.visitor.callOk(signIn, { body: { email, password } })
    for (const device of [guest, { ...member, visitor }]) {
      expect(await watched(device)).toEqual([
        [idOf(1), 1000],
        [idOf(0), 2000],
      ])
      expect((await favorites(device)).toSorted()).toEqual([idOf(0), idOf(2)].toSorted())
    }
    expect(await counts(0)).toEqual({ play_count: 1, favorite_count: 1 })
  })
})

describe('a guest whose cookie does not state that records exist', () => {
  /** Stores records of the guest, but drops the responses that set its cookie. */
  async function storeWithoutResponses() {
    const { visitor } = guest
    const { cookie } = visitor
    await watch(guest, 0, 1000, 1)
    await addToFavorites(guest, 1)
    visitor.cookie = cookie
  }

  it('sees and can remove its list entries', async () => {
    const { visitor } = guest
    const { cookie } = visitor
    const forget = () => Object.assign(visitor, { cookie })
    await storeWithoutResponses()
    expect(await watched(guest)).toEqual([[idOf(0), 1000]])
    expect(await forget().callOk(listFavorites)).toMatchObject({ list: [{ id: idOf(1) }] })
    const body = { video_ids: [idOf(1)] }
    expect(await forget().callOk(removeFavorites, { body })).toEqual({ removed: 1 })
    expect(await forget().callOk(saveHistory, { body: { remove: [idOf(0)] } })).toEqual({ removed: 1 })
  })

  it('gets the cookie again with the next list', async () => {
    await storeWithoutResponses()
    await watched(guest)
    const video = await guest.visitor.callOk(getVideo, { query: { id: idOf(1) } })
    expect(video).toMatchObject({ favorite: true })
  })

  it('sees nothing of the account that the guest was merged into', async () => {
    const { email } = await registerMember(site)
    const { visitor } = guest
    const { cookie } = visitor
    await addToFavorites(guest, 1)
    await visitor.callOk(signIn, { body: { email, password } })
    for (const [endpoint, body] of [
      [listHistory, undefined],
      [listFavorites, undefined],
      [removeFavorites, { video_ids: [idOf(1)] }],
    ] as const) {
      const late = site.visitor()
      late.cookie = cookie
      expect((await late.call(endpoint, body ? { body } : {})).answer.code).toBe(401)
    }
  })
})

it('a removal for a guest without records creates no row', async () => {
  const { visitor, id } = guest
  expect(await visitor.callOk(saveHistory, { body: { remove: [idOf(0)] } })).toEqual({ removed: 0 })
  expect(await visitor.callOk(removeFavorites, { body: { video_ids: [idOf(0)] } })).toEqual({ removed: 0 })
  expect(await site.context.db.selectFrom('users').select('id').where('id', '=', id).execute()).toEqual([])
})

it("a removal of favorites during the guest's sign-in is refused, and the account's favorites remain", async () => {
  const { email } = await registerMember(site)
  await addToFavorites(guest, 0)
  const { pool } = site.context.database
  const late = site.visitor()
  late.cookie = guest.visitor.cookie
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT FROM favorites WHERE user_id = $1 FOR UPDATE', [guest.id])
  const entering = guest.visitor.callOk(signIn, { body: { email, password } })
  await waitForLock(pool)
  const removing = late.call(removeFavorites, { body: { video_ids: [idOf(0)] } })
  await waitForLock(pool, 2)
  await other.query('COMMIT')
  other.release()
  await entering
  expect((await removing).answer.code).toBe(401)
  expect(await favorites(guest)).toEqual([idOf(0)])
})

describe('account deletion', () => {
  it('deletes history and favorites, ends entitlements, and keeps the counted plays without the user', async () => {
    await watch(member, 0, 1000, 1)
    await addToFavorites(member, 0)
    await addToFavorites(guest, 0)
    await buy(member, 0)
    await watch(member, 0, 1000, 2, 4)
    await expect.poll(async () => (await counts(0)).play_count).toBe(2)
    await inTransaction((tx) => eraseLibrary(tx, member.id, time.now))
    expect(await watched(member)).toEqual([])
    expect(await favorites(member)).toEqual([])
    expect(await counts(0)).toEqual({ play_count: 2, favorite_count: 1 })
    const query = { kind: 'unlocked' as const }
    expect((await member.visitor.callOk(listHistory, { query })).list).toEqual([])
    const { entitlements, ...rest } = await readExportParts(exportLibrary(site.context.db, member.id))
    expect(entitlements).toMatchObject([{ revoked_at: time.now }])
    expect(Object.values(rest).flat()).toEqual([])
  })
})

describe('an export', () => {
  it('contains all records of the user as JSON, and no records of others', async () => {
    await watch(guest, 0, 500, 1)
    await addToFavorites(guest, 0)
    await watch(member, 1, 1000, 1)
    await addToFavorites(member, 2)
    await buy(member, 2)
    const exported = JSON.parse(
      JSON.stringify(await readExportParts(exportLibrary(site.context.db, member.id))),
    )
    expect(exported).toMatchObject({
      history: [
        {
          video_id: idOf(1),
          title: expect.any(String),
          episode: 1,
          position_ms: 1000,
          at: '2026-03-01T12:01:00.000Z',
        },
      ],
      favorites: [{ video_id: idOf(2), title: expect.any(String), favorited_at: time.now.toISOString() }],
      entitlements: [{ source: 'purchase', video_id: idOf(2), episode: null }],
      unlocked_by_subscription: [],
      recent_plays: [{ video_id: idOf(1), half_hour: '2026-03-01T12:00:00.000Z' }],
    })
  })

  it('contains the records of all pages', async () => {
    await watch(member, 0, 1, 1)
    await site.context.database.pool.query(
      `INSERT INTO plays (user_id, episode_id, half_hour, video_id)
       SELECT $1, 'ep_' || n % 7, timestamptz '2026-01-01' + n * interval '30 min', 'vid_any'
       FROM generate_series(1, 2500) n`,
      [member.id],
    )
    const { recent_plays } = await readExportParts(exportLibrary(site.context.db, member.id))
    const keys = (recent_plays as { episode_id: string; half_hour: Date }[]).map(
      (play) => `${play.episode_id} ${play.half_hour.toISOString()}`,
    )
    expect([keys.length, new Set(keys).size]).toEqual([2501, 2501])
  })
})
