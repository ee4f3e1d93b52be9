import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertUser, lockUsers } from '#server/features/members/user-queries.ts'
import { systemClock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { runScript } from '#server/testing/crash/run-script.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Tx } from '#server/tables.ts'
import { addFavorite } from '#server/features/library/change-favorites.ts'
import { aggregateFavorites, aggregatePlays, aggregateEpisodeViewers } from './aggregate-counts.ts'
import { mergeLibrary } from '#server/features/library/personal-data/merge-library.ts'
import { savePosition } from '#server/features/library/history/save-position.ts'

const processes = 8
const people = 4
/** The same for all positions, because a play counts again in the next half hour. */
const now = new Date()

let database: TestDatabase
let site: TestSite
let videos: BuiltVideo[]
beforeAll(async () => {
  database = await createTestDatabase()
  site = await startTestSite({ database })
  videos = []
  for (let i = 0; i < 3; i++) videos.push(await buildVideo(site.context, { episodes: 1 }))
})
afterAll(() => site.close())

/** Runs `work` without `inTransaction`, which would hide a deadlock by a retry. */
const runWithoutRetry = <T>(work: (tx: Tx) => Promise<T>) => database.db.transaction().execute(work)

/** Starts a process that counts until its input is closed. `ended` resolves to its output. */
async function startCounting(): Promise<{ close(): void; ended: Promise<string> }> {
  const { promise, resolve } = Promise.withResolvers<ChildProcess>()
  const ended = runScript('count-until-closed.ts', [database.url], resolve).then(({ stdout }) => stdout)
  const child = await promise
  if (child.stdout) await once(child.stdout, 'data')
  return { close: () => child.stdin?.end(), ended }
}

async function watchAndLikeAll(userId: string): Promise<void> {
  await runWithoutRetry((tx) => insertUser(tx, { id: userId, language: 'en', created_at: now }))
  for (const { id: video_id, episodes } of videos) {
    const position = { video_id, episode_id: episodes[0]?.id ?? '', position_ms: 1, at: now.toISOString() }
    await runWithoutRetry((tx) => savePosition(tx, userId, position, now, async () => {}))
    await runWithoutRetry((tx) => addFavorite(tx, userId, video_id, now))
  }
}

/** Lets a guest and a member watch the same videos on two devices. Then the guest signs in. */
async function watchAndSignIn(): Promise<void> {
  const [guest, member] = [newId('usr'), newId('usr')]
  await Promise.all([watchAndLikeAll(guest), watchAndLikeAll(member)])
  await runWithoutRetry(async (tx) => {
    await lockUsers(tx, [guest, member])
    await mergeLibrary(tx, guest, member)
  })
}

/** Locks the videos as the foreign key checks of a long transaction do. */
async function lockVideos(): Promise<() => Promise<void>> {
  const client = await database.pool.connect()
  await client.query('BEGIN; SELECT FROM videos FOR KEY SHARE')
  return async () => {
    await client.query('COMMIT')
    client.release()
  }
}

it('eight processes count exactly and without a deadlock while viewers watch, like and sign in', async () => {
  const counting = await Promise.all(Array.from({ length: processes }, startCounting))
  const release = await lockVideos()
  await Promise.all(Array.from({ length: people }, watchAndSignIn))
  await release()
  for (const { close } of counting) close()
  const printed = await Promise.all(counting.map(({ ended }) => ended))
  expect(printed).toEqual(counting.map(() => 'counting\nclosed\n'))
  const { db } = database
  await Promise.all([
    aggregatePlays(db),
    aggregateFavorites(db),
    aggregateEpisodeViewers({ db, clock: systemClock }),
  ])
  const { rows } = await database.pool.query(
    `SELECT play_count, favorite_count, started FROM videos
     JOIN episodes ON video_id = videos.id JOIN episode_viewer_counts ON episode_id = episodes.id`,
  )
  expect(rows).toEqual(videos.map(() => ({ play_count: people, favorite_count: people, started: people })))
}, 600_000)
