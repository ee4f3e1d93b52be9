import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Offer } from '#contract/billing.ts'
import { variantOf, type RunningExperiment } from '#server/features/experiments/assign-variant.ts'
import { grantEntitlement } from '#server/features/library/library.ts'
import { savePosition } from '#server/features/library/history/save-position.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { newId } from '#server/platform/ids.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { mediaContext } from '#server/testing/media/media-context.ts'
import { parseMediaLink } from '#server/testing/media/media-links.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { studioSubject } from './admin-episodes.ts'
import { loadMediaKey } from './load-media-key.ts'
import {
  anonymousSubject,
  findCoveringEntitlement,
  findEpisode,
  listEpisodes,
  loadPlayable,
  loadPlayableAndNext,
  type MediaContext,
} from './media.ts'
import { verifyMediaUrl } from './signed-urls.ts'

const now = new Date('2026-03-01T12:00:00Z')
const clock = { now: () => now }
const offer = { plans: [] } as unknown as Offer

let database: TestDatabase
let context: MediaContext
let video: BuiltVideo
let running: RunningExperiment[]
/** The arguments of each request for an offer, in order. */
let offered: Parameters<MediaContext['offerFor']>[]

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  const { db } = database
  running = []
  offered = []
  context = mediaContext({
    db,
    clock,
    running: () => running,
    offerFor: async (...args) => {
      offered.push(args)
      return offer
    },
  })
  // Three of its six episodes are free.
  video = await buildVideo({ db, storage: noStorage })
})

const episode = (number: number) => video.episodes[number - 1]?.id ?? ''
const folderOf = (number: number) => video.episodes[number - 1]?.assetId ?? ''

/** Returns a guest without a row. */
const guest = (): Viewer => ({ userId: newId('usr'), role: 'visitor', isStored: false })

type Grant = Omit<Parameters<typeof grantEntitlement>[1], 'userId' | 'orderId' | 'startsAt' | 'source'>

/** Creates a user with these entitlements. */
async function createViewerWith(...grants: Grant[]): Promise<Viewer> {
  const userId = newId('usr')
  await database.db.transaction().execute(async (tx) => {
    await insertUserRow(tx, userId)
    for (const grant of grants) {
      const orderId = await insertPaidOrder(tx, userId, now)
      const source = grant.videoId ? 'purchase' : 'subscription'
      await grantEntitlement(tx, { userId, orderId, source, startsAt: now, ...grant })
    }
  })
  return { userId, role: 'member', isStored: true }
}

/** Creates an experiment whose second variant has another number of free episodes. */
async function tryFree(free_episodes: number, target: string | null = null): Promise<RunningExperiment> {
  const variants = [{ share: 50 }, { share: 50, free_episodes }]
  const experiment = { id: newId('exp'), kind: 'free_episodes', target, currency: null, variants } as const
  const { id, kind } = experiment
  await database.db
    .insertInto('experiments')
    .values({ id, name: 'A trial', kind, target, variants: JSON.stringify(variants), created_at: now })
    .execute()
  running.push(experiment)
  return experiment
}

function guestIn(experiment: RunningExperiment, variant: number): Viewer {
  for (;;) {
    const viewer = guest()
    if (variantOf(experiment, viewer.userId) === variant) return viewer
  }
}

async function exposed({ userId }: Viewer): Promise<string[]> {
  const rows = database.db
    .selectFrom('experiment_exposures')
    .select('experiment_id')
    .where('viewer_id', '=', userId)
  return (await rows.execute()).map(({ experiment_id }) => experiment_id)
}

/** Returns `plays`, or the name of the refusal. */
async function outcome(pending: Promise<unknown>): Promise<string> {
  return pending.then(
    () => 'plays',
    (error: { reason: string }) => error.reason,
  )
}

const play = (viewer: Viewer | null, id: string) => outcome(loadPlayable(context, viewer, id, 'en'))

/**
 * Returns the states of the video's episodes in the list. Checks that each episode is the same when it is requested
 * alone.
 */
async function states(viewer: Viewer | null): Promise<string[]> {
  const { list } = await listEpisodes(context, viewer, { video_id: video.id }, 'en')
  for (const one of list) {
    const { number } = one
    expect(await findEpisode(context, viewer, { videoId: video.id, number }, 'en')).toEqual(one)
  }
  return list.map(({ state }) => state)
}

describe('an episode plays', () => {
  test('for everyone if its number is at most the number of free episodes', async () => {
    const free = ['free', 'free', 'free', 'locked', 'locked', 'locked']
    for (const viewer of [null, guest(), await createViewerWith()]) {
      expect(await states(viewer)).toEqual(free)
      expect(await play(viewer, episode(3))).toBe('plays')
      expect(await play(viewer, episode(4))).toBe('locked')
    }
  })

  test('for the buyer of the episode, of the video, and of everything', async () => {
    const one = await createViewerWith({ videoId: video.id, episodeId: episode(5) })
    expect(await states(one)).toEqual(['free', 'free', 'free', 'locked', 'unlocked', 'locked'])
    expect(await play(one, episode(5))).toBe('plays')
    expect(await play(one, episode(4))).toBe('locked')
    for (const all of [await createViewerWith({ videoId: video.id }), await createViewerWith({})])
      expect(await states(all)).toEqual(['free', 'free', 'free', 'unlocked', 'unlocked', 'unlocked'])
  })

  test('not for a guest without a row, even if the guest’s id has entitlements', async () => {
    const member = await createViewerWith({})
    expect(await play({ ...member, isStored: false }, episode(4))).toBe('locked')
  })

  test('only when it is ready; before that, the refusal has its progress', async () => {
    const coming = await buildVideo({ db: database.db, storage: noStorage }, { ready: 3 })
    await database.db.updateTable('assets').set({ progress: 40 }).where('state', '=', 'uploaded').execute()
    const id = coming.episodes[3]?.id ?? ''
    for (const viewer of [null, await createViewerWith({})])
      await expect(loadPlayable(context, viewer, id, 'en')).rejects.toMatchObject({
        reason: 'episodeNotReady',
        info: { progress: 40 },
      })
  })

  test('after its video was archived, if it is free or covered by an entitlement', async () => {
    await database.db.updateTable('videos').set({ state: 'archived' }).where('id', '=', video.id).execute()
    expect(await play(await createViewerWith({}), episode(4))).toBe('plays')
    expect(await play(null, episode(3))).toBe('plays')
    expect(await play(null, episode(4))).toBe('notFound')
    expect(offered).toEqual([])
  })

  test('only while its video is visible', async () => {
    const viewer = await createViewerWith({})
    expect(await play(viewer, 'ep_none')).toBe('notFound')
    await database.db.updateTable('videos').set({ state: 'draft' }).where('id', '=', video.id).execute()
    expect(await play(viewer, episode(1))).toBe('notFound')
    expect(await outcome(listEpisodes(context, viewer, { video_id: video.id }, 'en'))).toBe('notFound')
  })
})

test('an episode number without an episode finds nothing, even if later episodes exist', async () => {
  await database.db.deleteFrom('episodes').where('id', '=', episode(2)).execute()
  const find = (number: number) => findEpisode(context, null, { videoId: video.id, number }, 'en')
  expect((await find(3))?.id).toBe(episode(3))
  expect(await find(2)).toBeUndefined()
  expect(await find(7)).toBeUndefined()
})

describe('a locked episode', () => {
  test('is refused with an offer for it', async () => {
    const viewer = guest()
    await expect(loadPlayable(context, viewer, episode(4), 'en')).rejects.toMatchObject({
      reason: 'locked',
      info: offer,
    })
    expect(offered).toEqual([
      [
        database.db,
        viewer,
        {
          id: episode(4),
          video_id: video.id,
          number: 4,
          title: '',
          thumb_url: `/public/${folderOf(4)}/still.webp`,
          price: { episode_cents: 99, video_cents: 999, currency: 'USD' },
          video: { episode_count: 6, ready_count: 6 },
        },
        'en',
      ],
    ])
  })

  test('has its blurred still as image; a free episode has a signed link to its sharp image', async () => {
    const { list } = await listEpisodes(context, null, { video_id: video.id }, 'en')
    expect(list[3]?.thumb_url).toBe(`/public/${folderOf(4)}/still.webp`)
    const link = list[2]?.thumb_url ?? ''
    expect(link).toMatch(new RegExp(`^/media/[^/]+/${folderOf(3)}/thumb.webp$`))
    const { expires, subject, mac } = parseMediaLink(link)
    expect(verifyMediaUrl(['secret'], `${expires}.${subject}.${mac}`, folderOf(3), now)).toBe('valid')
  })

  test('has no image before it is ready', async () => {
    const coming = await buildVideo({ db: database.db, storage: noStorage }, { ready: 0 })
    const { list } = await listEpisodes(context, null, { video_id: coming.id }, 'en')
    expect(list.map(({ thumb_url, ready }) => [thumb_url, ready])).toEqual(
      Array.from({ length: 6 }, () => [null, false]),
    )
  })
})

describe('the links of a playable episode are signed', () => {
  async function subjectOf(viewer: Viewer | null, number: number): Promise<string> {
    const { playback } = await loadPlayable(context, viewer, episode(number), 'en')
    const link = parseMediaLink(playback.hls_url)
    expect(link.asset).toBe(folderOf(number))
    return link.subject
  }

  test('for all viewers together if the viewer has no row', async () => {
    expect(await subjectOf(null, 1)).toBe(anonymousSubject)
    expect(await subjectOf(guest(), 3)).toBe(anonymousSubject)
  })

  test('for the viewer if the viewer has a row, whether the episode is free or bought', async () => {
    const viewer = await createViewerWith({})
    expect(await subjectOf(viewer, 1)).toBe(viewer.userId)
    expect(await subjectOf(viewer, 4)).toBe(viewer.userId)
  })

  test('for the guest if the episode is free only in the guest’s variant', async () => {
    const viewer = guestIn(await tryFree(5), 1)
    expect(await subjectOf(viewer, 3)).toBe(anonymousSubject)
    expect(await subjectOf(viewer, 4)).toBe(viewer.userId)
  })
})

describe('the next episode', () => {
  test('is returned with its state, and is null after the last episode', async () => {
    const viewer = await createViewerWith({ videoId: video.id, episodeId: episode(6) })
    const nextOf = async (number: number) => (await loadPlayable(context, viewer, episode(number), 'en')).next
    expect(await nextOf(2)).toEqual({ id: episode(3), number: 3, state: 'free' })
    expect(await nextOf(3)).toEqual({ id: episode(4), number: 4, state: 'locked' })
    expect(await nextOf(6)).toBeNull()
  })

  const following = async (viewer: Viewer | null, number: number) =>
    (await loadPlayableAndNext(context, viewer, episode(number), 'en')).following?.episode.number

  test('is returned with its links if the viewer may play it', async () => {
    const viewer = await createViewerWith({ videoId: video.id, episodeId: episode(4) })
    expect(await following(null, 2)).toBe(3)
    expect(await following(null, 3)).toBeUndefined()
    expect(await following(viewer, 3)).toBe(4)
    expect(await following(viewer, 4)).toBeUndefined()
    const { following: third } = await loadPlayableAndNext(context, viewer, episode(2), 'en')
    expect(third?.next).toEqual({ id: episode(4), number: 4, state: 'unlocked' })
  })

  test('is not returned with links if it is not ready or does not exist', async () => {
    const member = await createViewerWith({})
    expect(await following(member, 6)).toBeUndefined()
    await database.db
      .updateTable('episodes')
      .set({ asset_id: null, next_asset_id: folderOf(4) })
      .where('id', '=', episode(4))
      .execute()
    await database.db
      .updateTable('assets')
      .set({ state: 'processing' })
      .where('id', '=', folderOf(4))
      .execute()
    expect(await following(member, 3)).toBeUndefined()
  })

  test('is not returned with links if an experiment decides whether it is free, because only a request for the episode counts the exposure', async () => {
    const experiment = await tryFree(5)
    const viewer = guestIn(experiment, 1)
    expect(await following(viewer, 2)).toBe(3)
    expect(await following(viewer, 3)).toBeUndefined()
    expect(await exposed(viewer)).toEqual([])
    expect(await following(viewer, 4)).toBeUndefined()
    expect(await exposed(viewer)).toEqual([experiment.id])
  })
})

describe('an experiment about free episodes', () => {
  test("frees as many episodes as the viewer's variant sets, or the minimum of all variants for viewers without an id", async () => {
    const experiment = await tryFree(5)
    const more = ['free', 'free', 'free', 'free', 'free', 'locked']
    expect(await states(guestIn(experiment, 1))).toEqual(more)
    const usual = ['free', 'free', 'free', 'locked', 'locked', 'locked']
    expect(await states(guestIn(experiment, 0))).toEqual(usual)
    expect(await states(null)).toEqual(usual)
  })

  test('can free fewer episodes than usual, also for viewers without an id', async () => {
    const experiment = await tryFree(1)
    const fewer = ['free', 'locked', 'locked', 'locked', 'locked', 'locked']
    expect(await states(guestIn(experiment, 1))).toEqual(fewer)
    expect(await states(guestIn(experiment, 0))).toEqual([
      'free',
      'free',
      'free',
      'locked',
      'locked',
      'locked',
    ])
    expect(await states(null)).toEqual(fewer)
  })

  test('on the video takes precedence over an experiment on all videos; an experiment on another video has no effect', async () => {
    const other = await tryFree(6, 'vid_other')
    const all = await tryFree(5)
    const own = await tryFree(4, video.id)
    const viewer = (() => {
      for (;;) {
        const each = guestIn(own, 1)
        if (variantOf(all, each.userId) === 1 && variantOf(other, each.userId) === 1) return each
      }
    })()
    expect((await states(viewer)).filter((state) => state === 'free')).toHaveLength(4)
    running = running.filter(({ kind, target }) => kind === 'free_episodes' && target !== video.id)
    expect((await states(viewer)).filter((state) => state === 'free')).toHaveLength(5)
    running = [other, { ...own, kind: 'episode_price' }]
    expect((await states(viewer)).filter((state) => state === 'free')).toHaveLength(3)
  })

  test('records the exposure of a viewer without an entitlement who requests an episode that at least one variant locks', async () => {
    const experiment = await tryFree(5)
    for (const variant of [0, 1]) {
      const viewer = guestIn(experiment, variant)
      await play(viewer, episode(3))
      expect(await exposed(viewer)).toEqual([])
      expect(await play(viewer, episode(4))).toBe(variant === 0 ? 'locked' : 'plays')
      expect(await exposed(viewer)).toEqual([experiment.id])
    }
    const owner = await createViewerWith({})
    await play(owner, episode(4))
    expect(await exposed(owner)).toEqual([])
    await play(null, episode(4))
  })
})

describe('unlocking', () => {
  const unlock = (viewer: Viewer, id: string) => findCoveringEntitlement(context, viewer, id, 'en')

  test('finds the entitlement that covers the episode', async () => {
    const viewer = await createViewerWith({ videoId: video.id, episodeId: episode(4) })
    expect(await unlock(viewer, episode(4))).toMatchObject({ source: 'purchase', episode_id: episode(4) })
  })

  test('offers the episode to a viewer without an entitlement, and records the exposure to an experiment', async () => {
    const experiment = await tryFree(3)
    const viewer = await createViewerWith()
    expect(await outcome(unlock(viewer, episode(5)))).toBe('locked')
    expect(await exposed(viewer)).toEqual([experiment.id])
    expect(await outcome(unlock(viewer, 'ep_none'))).toBe('notFound')
  })
})

describe('the media key of an episode', () => {
  const key = Buffer.from('sixteen bytes!!!')

  /** Encrypts an episode and requests its key. */
  async function keyFor(userId: string, number: number): Promise<string> {
    const folder = folderOf(number)
    const media_key = context.mediaKeys.encrypt(folder, key)
    await database.db.updateTable('assets').set({ media_key }).where('id', '=', folder).execute()
    const found = await loadMediaKey(context, userId, folder)
    return typeof found === 'string' ? found : found.toString()
  }

  test('is served to everyone for a free episode, but for a locked episode only to viewers with an entitlement', async () => {
    const { userId } = await createViewerWith({ videoId: video.id, episodeId: episode(4) })
    for (const subject of [anonymousSubject, userId, guest().userId])
      expect(await keyFor(subject, 3)).toBe(key.toString())
    expect(await keyFor(userId, 4)).toBe(key.toString())
    expect(await keyFor(userId, 5)).toBe('locked')
    expect(await keyFor(anonymousSubject, 4)).toBe('locked')
    expect(await keyFor(guest().userId, 4)).toBe('locked')
  })

  test('is served to the studio for every episode', async () => {
    expect(await keyFor(studioSubject, 6)).toBe(key.toString())
  })

  test("is served according to the viewer's variant; for the link that all guests share, experiments do not count", async () => {
    const experiment = await tryFree(5)
    expect(await keyFor(guestIn(experiment, 1).userId, 5)).toBe(key.toString())
    expect(await keyFor(guestIn(experiment, 0).userId, 5)).toBe('locked')
    running = [{ ...experiment, variants: [{ share: 100, free_episodes: 5 }] }]
    expect(await keyFor(anonymousSubject, 5)).toBe('locked')
  })

  test('does not exist for an unknown or unencrypted asset, and is refused if no episode plays the asset', async () => {
    expect(await loadMediaKey(context, anonymousSubject, folderOf(1))).toBe('none')
    expect(await loadMediaKey(context, anonymousSubject, 'ast_none')).toBe('none')
    await keyFor(anonymousSubject, 1)
    await database.db.updateTable('episodes').set({ asset_id: null }).where('id', '=', episode(1)).execute()
    expect(await loadMediaKey(context, studioSubject, folderOf(1))).toBe('replaced')
  })
})

describe('a position is saved', () => {
  const save = ({ userId }: Viewer, number: number) =>
    outcome(
      database.db.transaction().execute((tx) => {
        const position = { video_id: video.id, episode_id: episode(number), position_ms: 1 }
        return savePosition(tx, userId, { ...position, at: now.toISOString() }, now, async () => {}, running)
      }),
    )

  const unlocked = ({ userId }: Viewer) =>
    database.db.selectFrom('unlocks').select('episode_id').where('user_id', '=', userId).execute()

  test('in a free episode for everyone, in a locked episode only for viewers with an entitlement', async () => {
    const one = await createViewerWith({ videoId: video.id, episodeId: episode(4) })
    expect(await save(await createViewerWith(), 3)).toBe('plays')
    expect(await save(await createViewerWith(), 4)).toBe('notOwner')
    expect(await save(one, 4)).toBe('plays')
    expect(await save(one, 5)).toBe('notOwner')
  })

  test("in the episodes that are free in the viewer's variant", async () => {
    const experiment = await tryFree(5)
    for (const variant of [0, 1]) {
      const viewer = guestIn(experiment, variant)
      await database.db.transaction().execute((tx) => insertUserRow(tx, viewer.userId))
      expect(await save(viewer, 5)).toBe(variant === 0 ? 'notOwner' : 'plays')
    }
  })

  test('with an unlock record if a subscription covers the episode, but without one if the episode is free or bought', async () => {
    const subscriber = await createViewerWith({})
    await save(subscriber, 3)
    expect(await unlocked(subscriber)).toEqual([])
    await save(subscriber, 4)
    expect(await unlocked(subscriber)).toEqual([{ episode_id: episode(4) }])
    const owner = await createViewerWith({ videoId: video.id }, {})
    await save(owner, 4)
    expect(await unlocked(owner)).toEqual([])
  })
})
