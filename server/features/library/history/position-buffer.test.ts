import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getVideo, type Video } from '#contract/catalog.ts'
import { listHistory, saveHistory } from '#contract/library.ts'
import { deleteUser, getUser, signIn, signOut } from '#contract/members.ts'
import { avoidEndOfPeriod } from '#server/testing/avoid-end-of-period.ts'
import { noAnnouncements } from '#server/testing/no-announcements.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { joinWrites } from '#server/platform/join-writes.ts'
import { noQuotas } from '#server/platform/network-quotas.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { runKillableSite } from '#server/testing/site/run-killable-site.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { countsOf } from '#server/testing/builders/video-counts.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import type { Tx } from '#server/tables.ts'
import { aggregatePlays } from '#server/features/library/counts/aggregate-counts.ts'
import { selectViewing, upsertHistories, type HistoryRow } from './history-queries.ts'
import { recordEpisodeViews, updatePositions } from './playback-queries.ts'
import { bufferPositions, type PositionBuffer, type SaveCall } from './position-buffer.ts'
import { removeFromHistory } from './save-position.ts'

let database: TestDatabase
let site: TestSite
let video: BuiltVideo
beforeAll(async () => {
  database = await createTestDatabase()
  site = await startTestSite({ database })
})
afterAll(() => site.close())
beforeEach(async () => {
  // A play counts again in the next half hour.
  await avoidEndOfPeriod(30 * 60_000)
  video = await buildVideo(site.context, { episodes: 4, freeEpisodes: 4 })
})

let tick = 0
/** Sends a position. Each position is a little later than the previous one. */
const save = (visitor: Visitor, position_ms: number, number = 1) =>
  visitor.call(saveHistory, {
    body: {
      video_id: video.id,
      episode_id: video.episodes[number - 1]?.id ?? '',
      position_ms,
      at: new Date(Date.now() - 60_000 + tick++).toISOString(),
    },
  })

/** Saves positions until one of them is accepted without a query. */
async function watch(visitor: Visitor): Promise<void> {
  const recordedQueries = recordQueries('sessions', 'users', 'watch_history')
  await expect
    .poll(async () => {
      const before = recordedQueries().length
      await save(visitor, 1000)
      return recordedQueries().length - before
    })
    .toBe(0)
}

const rowsOf = async (userId: string) => {
  const { db } = site.context
  const [history, plays] = await Promise.all([
    db.selectFrom('watch_history').selectAll().where('user_id', '=', userId).execute(),
    db.selectFrom('plays').selectAll().where('user_id', '=', userId).execute(),
  ])
  return { history, plays }
}

/** Counts the updates by this connection: all updated rows, and those that got new index entries. */
async function countUpdates(tx: Tx): Promise<{ rows: number; withIndex: number }> {
  const { rows } = await sql<{ rows: number; withIndex: number }>`
    SELECT coalesce(sum(n_tup_upd), 0)::int AS rows, coalesce(sum(n_tup_upd - n_tup_hot_upd), 0)::int AS "withIndex"
    FROM pg_stat_xact_user_tables WHERE relname IN ('watch_history', 'episode_views')`.execute(tx)
  return rows[0] ?? { rows: NaN, withIndex: NaN }
}

/** Opens the buffer of another process, which writes only when the test flushes it. */
function openBuffer(): PositionBuffer {
  const { db, clock, log, countPlays } = site.context
  return bufferPositions({
    db,
    clock,
    log,
    countPlays,
    quotas: noQuotas,
    running: async () => [],
    joinWrites: joinWrites((work) => inTransaction(db, work), log, 600_000),
    catalogueChanges: noAnnouncements,
  })
}

/** Returns a call that saves a position watched a second ago. */
function callOf(userId: string, position_ms: number): SaveCall {
  const position = {
    video_id: video.id,
    episode_id: video.episodes[0]?.id ?? '',
    position_ms,
    at: new Date(Date.now() - 1000).toISOString(),
  }
  const ids = { referrerToken: undefined, fbclid: undefined, ttclid: undefined }
  return { userId, position, ip: '192.0.2.1', zone: undefined, ids }
}

const startedVideos = async (userId: string) => {
  const { rows } = await database.pool.query<{ video_id: string }>(
    'SELECT video_id FROM started_videos WHERE user_id = $1',
    [userId],
  )
  return rows.map(({ video_id }) => video_id).filter((id) => id === video.id)
}

const playCount = async () => {
  await aggregatePlays(site.context.db)
  return (await countsOf(site.context.db, video.id)).play_count
}

describe('a pending position', () => {
  it('is visible to its viewer at once: in the history, as the resume position and in the page', async () => {
    const { visitor } = await registerMember(site)
    await watch(visitor)
    expect((await save(visitor, 7000)).answer.info).toMatchObject({ position_ms: 7000 })
    const { resume } = (await visitor.callOk(getVideo, { query: { id: video.id } })) as Video
    expect(resume?.position_ms).toBe(7000)
    await save(visitor, 8000)
    expect((await visitor.callOk(listHistory)).list).toMatchObject([{ position_ms: 8000 }])
    await save(visitor, 9000)
    const html = await (await visitor.fetch(`/videos/${video.id}`)).text()
    const [, boot = '{}'] = /<script type="application\/json" id="boot">(.*?)<\/script>/.exec(html) ?? []
    expect(JSON.parse(boot)).toMatchObject({ video: { resume: { position_ms: 9000 } } })
  })

  it('moves with a guest who signs in to another account', async () => {
    const { visitor: member, email } = await registerMember(site)
    const guest = site.visitor()
    await guest.callOk(getUser)
    await watch(guest)
    await save(guest, 9000, 2)
    await guest.callOk(signIn, { body: { email, password } })
    expect((await guest.callOk(listHistory)).list).toMatchObject([
      { position_ms: 9000, episode: { number: 2 } },
    ])
    expect((await member.callOk(listHistory)).list).toHaveLength(1)
    await expect.poll(playCount).toBe(2)
  })

  it('is not restored after its account was deleted, and its plays remain counted', async () => {
    const { visitor, user } = await registerMember(site)
    await watch(visitor)
    await save(visitor, 9000, 2)
    await visitor.callOk(deleteUser, { body: { current_password: password } })
    await site.context.saves.flush()
    expect(await rowsOf(user.id)).toEqual({ history: [], plays: [] })
    await expect.poll(playCount).toBe(2)
  })

  it('is counted as a play if its account is deleted while it is being written', async () => {
    const [{ user: deleted }, { user: other }] = [await registerMember(site), await registerMember(site)]
    const saves = openBuffer()
    for (const { id } of [deleted, other]) {
      const viewing = await selectViewing(database.db, id, video.id)
      if (viewing) saves.cacheViewing(id, video.id, viewing)
      expect(await saves.accept(callOf(id, 5000))).toMatchObject({ position_ms: 5000 })
    }
    const blocker = await database.pool.connect()
    try {
      await blocker.query('BEGIN')
      await blocker.query(
        'INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at) VALUES ($1, $2, $3, 1, now())',
        [other.id, video.id, video.episodes[0]?.id],
      )
      let flush = Promise.resolve()
      await inTransaction(database.db, async (tx) => {
        // The write skips the locked account, and then waits for the other account's history entry.
        await sql`SELECT FROM users WHERE id = ${deleted.id} FOR UPDATE`.execute(tx)
        flush = saves.flush()
        await waitForLock(database.pool)
        await saves.flushUserInTransaction(tx, deleted.id)
        await sql`UPDATE users SET deleted_at = now() WHERE id = ${deleted.id}`.execute(tx)
      })
      await blocker.query('ROLLBACK')
      await flush
    } finally {
      blocker.release(true)
    }
    await saves.flush()
    await expect.poll(playCount).toBe(2)
  })

  it('does not overwrite a newer position of another process, and does not undo a later removal', async () => {
    const { visitor, user } = await registerMember(site)
    await save(visitor, 5000)
    const { history } = await rowsOf(user.id)
    const [row] = history
    if (!row) throw new Error('nothing was stored')
    const later = (ms: number) => ({ ...row, position_ms: ms, at: new Date(row.at.getTime() + ms) })
    const update = (...rows: HistoryRow[]) =>
      inTransaction(site.context.db, (tx) => updatePositions(tx, rows))
    expect(await update(later(-1000))).toEqual([])
    // Two positions of one history entry in a batch: those of a guest and of the member that the guest was merged into.
    expect(await update(later(2000), later(1000))).toMatchObject([{ position_ms: 2000 }])
    await visitor.callOk(saveHistory, { body: { remove: [video.id], at: later(9000).at.toISOString() } })
    expect(await update(later(8000))).toEqual([])
    expect((await visitor.callOk(listHistory)).list).toEqual([])
    expect(await update(later(10_000))).toMatchObject([{ position_ms: 10_000 }])
  })

  it('needs no query for the session, even if it is the first position in a video', async () => {
    const { visitor } = await registerMember(site)
    await watch(visitor)
    const sessionQueries = recordQueries('sessions')
    await expect
      .poll(async () => {
        video = await buildVideo(site.context, { episodes: 1, freeEpisodes: 1 })
        const before = sessionQueries().length
        expect((await save(visitor, 5000)).answer.info).toMatchObject({
          video_id: video.id,
          position_ms: 5000,
        })
        return sessionQueries().length - before
      })
      .toBe(0)
  })

  it('is buffered even as the first position in a video, if its viewer has opened the page', async () => {
    const { visitor, user } = await registerMember(site)
    await watch(visitor)
    const recordedQueries = recordQueries('sessions', 'users', 'watch_history')
    await expect
      .poll(async () => {
        video = await buildVideo(site.context, { episodes: 1, freeEpisodes: 1 })
        await visitor.callOk(getVideo, { query: { id: video.id } })
        await site.context.saves.flush()
        const before = recordedQueries().length
        expect((await save(visitor, 5000)).answer.info).toMatchObject({
          video_id: video.id,
          position_ms: 5000,
        })
        await save(visitor, 6000)
        return recordedQueries().length - before
      })
      .toBe(0)
    await site.context.saves.flush()
    const { history, plays } = await rowsOf(user.id)
    expect(history.filter(({ video_id }) => video_id === video.id)).toMatchObject([{ position_ms: 6000 }])
    expect(plays.filter(({ video_id }) => video_id === video.id)).toHaveLength(1)
    expect(await startedVideos(user.id)).toEqual([video.id])
    await expect.poll(playCount).toBe(1)
  })

  it('is not buffered if the time zone or the source of the visit must be stored', async () => {
    const { visitor, user } = await registerMember(site)
    await watch(visitor)
    const { saves } = site.context
    const opened = await buildVideo(site.context, { episodes: 1, freeEpisodes: 1 })
    const position = {
      video_id: opened.id,
      episode_id: opened.episodes[0]?.id ?? '',
      position_ms: 1,
      at: new Date().toISOString(),
    }
    const ids = { referrerToken: undefined, fbclid: undefined, ttclid: undefined }
    const call = { userId: user.id, position, ip: '192.0.2.1', zone: 'Europe/Paris', ids }
    const viewing = { timeZone: 'Europe/Berlin', entry: undefined }
    saves.cacheViewing(user.id, opened.id, viewing)
    expect(await saves.accept(call)).toBeUndefined()
    expect(
      await saves.accept({ ...call, zone: undefined, ids: { ...ids, referrerToken: 'ad' } }),
    ).toBeUndefined()
    saves.cacheViewing(user.id, opened.id, { ...viewing, timeZone: 'Europe/Paris' })
    expect(await saves.accept(call)).toMatchObject(position)
  })

  it('changes nothing if it is older than the history entry', async () => {
    const { visitor, user } = await registerMember(site)
    await save(visitor, 5000)
    await save(visitor, 6000)
    const { saves } = site.context
    saves.evict(user.id)
    await visitor.callOk(getVideo, { query: { id: video.id } })
    const [stored] = (await rowsOf(user.id)).history
    const older = { video_id: video.id, episode_id: video.episodes[1]?.id ?? '', position_ms: 1 }
    const late = await visitor.call(saveHistory, { body: { ...older, at: new Date(0).toISOString() } })
    expect(late.answer.info).toMatchObject({ position_ms: 6000, at: stored?.at.toISOString() })
    await saves.flush()
    expect((await rowsOf(user.id)).history).toMatchObject([{ position_ms: 6000 }])
  })

  it('is not inserted if another process has stored a later removal', async () => {
    const { visitor, user } = await registerMember(site)
    const saves = openBuffer()
    const viewing = await selectViewing(database.db, user.id, video.id)
    if (!viewing) throw new Error('the member is not stored')
    saves.cacheViewing(user.id, video.id, viewing)
    const call = callOf(user.id, 5000)
    expect(await saves.accept(call)).toMatchObject(call.position)
    const removal = { remove: [video.id, 'vid_unknown'] }
    expect(
      await database.db.transaction().execute((tx) => removeFromHistory(tx, user.id, removal, new Date())),
    ).toEqual({ removed: 0, added: 1 })
    await saves.flush()
    expect(await rowsOf(user.id)).toMatchObject({ history: [{ removed: true }], plays: [{}] })
    const { list } = await visitor.callOk(listHistory)
    expect(list.map((entry) => entry.video.id)).not.toContain(video.id)
  })

  it('is written in one transaction with the events of its process', async () => {
    const { visitor, user } = await registerMember(site)
    await watch(visitor)
    const transactionsOf = async (name: string) => {
      const { rows } = await database.pool.query<{ position: string; event: string }>(
        `SELECT watch_history.xmin::text AS position, events.xmin::text AS event FROM watch_history, events
         WHERE watch_history.user_id = $1 AND name = $2`,
        [user.id, name],
      )
      return rows[0]
    }
    let number = 0
    // The buffer may be written between the two calls, so the calls are repeated.
    await expect
      .poll(
        async () => {
          const name = `joined_${++number}`
          await save(visitor, 2000 + number)
          await visitor.fetch(`/api/statics.png?event=${name}`)
          await expect.poll(() => transactionsOf(name)).toBeTruthy()
          const { position, event } = (await transactionsOf(name)) ?? {}
          return position === event
        },
        { timeout: 60_000 },
      )
      .toBe(true)
  })

  it('is written even if its transaction deadlocks with another transaction', async () => {
    const viewers = await Promise.all([registerMember(site), registerMember(site)])
    const saves = openBuffer()
    for (const { visitor, user } of viewers) {
      await save(visitor, 1000)
      const viewing = await selectViewing(database.db, user.id, video.id)
      if (viewing) saves.cacheViewing(user.id, video.id, viewing)
      expect(await saves.accept(callOf(user.id, 9000))).toMatchObject({ position_ms: 9000 })
    }
    const [first = '', last = ''] = viewers.map(({ user }) => user.id).toSorted()
    const other = await database.pool.connect()
    const touch = (userId: string) =>
      other.query('UPDATE watch_history SET removed = removed WHERE user_id = $1', [userId])
    try {
      // PostgreSQL ends the transaction whose timeout expires first. With this timeout, it is the transaction of the
      // positions.
      await other.query("BEGIN; SET LOCAL deadlock_timeout = '1min'")
      await touch(last)
      const flush = saves.flush()
      await waitForLock(database.pool)
      await touch(first)
      await other.query('COMMIT')
      await flush
    } finally {
      other.release(true)
    }
    for (const { user } of viewers)
      expect((await rowsOf(user.id)).history).toMatchObject([{ position_ms: 9000 }])
  })

  it('is written without changing an index, and so is the finish of an episode', async () => {
    const { visitor, user } = await registerMember(site)
    await save(visitor, 1000)
    const { history } = await rowsOf(user.id)
    const later = history.map((row) => ({ ...row, position_ms: 5000, at: new Date() }))
    const view = { user_id: user.id, episode_id: video.episodes[0]?.id ?? '', finished: true }
    await database.db.transaction().execute(async (tx) => {
      const before = await countUpdates(tx)
      await updatePositions(tx, later)
      await recordEpisodeViews(tx, [view])
      const after = await countUpdates(tx)
      expect(after.rows - before.rows).toBe(2)
      expect(after.withIndex - before.withIndex).toBe(0)
    })
  })

  it('of a viewer rarely changes an index, even if many viewers have started together', async () => {
    const viewers = Array.from({ length: 300 }, (_, number) => `usr_crowd_${String(number).padStart(3, '0')}`)
    await database.pool.query(
      'INSERT INTO users (id, referral_code) SELECT id, id FROM unnest($1::text[]) AS given (id)',
      [viewers],
    )
    const place = { video_id: video.id, episode_id: video.episodes[0]?.id ?? '', position_ms: 1 }
    const rowsAt = (at: Date) => viewers.map((user_id) => ({ ...place, user_id, at }))
    const viewsOf = (finished: boolean) => viewers.map((user_id) => ({ ...place, user_id, finished }))
    await inTransaction(database.db, async (tx) => {
      await upsertHistories(tx, rowsAt(new Date(Date.now() - 1000)))
      await recordEpisodeViews(tx, viewsOf(false))
    })
    await database.db.transaction().execute(async (tx) => {
      const before = await countUpdates(tx)
      await updatePositions(tx, rowsAt(new Date()))
      await recordEpisodeViews(tx, viewsOf(true))
      const after = await countUpdates(tx)
      expect(after.rows - before.rows).toBe(2 * viewers.length)
      expect(after.withIndex - before.withIndex).toBeLessThan(0.2 * viewers.length)
    })
  })

  it('is written before the process stops', async () => {
    const stopped = await runKillableSite(database.url)
    const visitor = new Visitor(stopped.url)
    const { id } = await visitor.callOk(getUser)
    for (const number of [1, 2, 3]) await save(visitor, number * 1000, number)
    const earlier = video
    video = await buildVideo(site.context, { episodes: 1, freeEpisodes: 1 })
    await visitor.callOk(getVideo, { query: { id: video.id } })
    await save(visitor, 4000)
    await stopped.end('SIGTERM')
    const { history, plays } = await rowsOf(id)
    expect(Object.fromEntries(history.map(({ video_id, position_ms }) => [video_id, position_ms]))).toEqual({
      [earlier.id]: 3000,
      [video.id]: 4000,
    })
    expect(plays).toHaveLength(4)
  })
})

describe('a cached session', () => {
  it('is not used after another process has ended the session', async () => {
    const { visitor, user } = await registerMember(site)
    await watch(visitor)
    await database.pool.query('DELETE FROM sessions WHERE user_id = $1', [user.id])
    await expect.poll(async () => (await save(visitor, 5000)).answer.code).toBe(401)
  })

  it('is not used after sign-out', async () => {
    const { visitor } = await registerMember(site)
    await watch(visitor)
    const stale = site.visitor({ cookie: visitor.cookie })
    await visitor.callOk(signOut)
    await expect.poll(async () => (await save(stale, 5000)).answer.code).toBe(401)
  })

  it('is not used after its guest has registered', async () => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    await watch(visitor)
    const stale = site.visitor({ cookie: visitor.cookie })
    await registerMember(site, visitor)
    await expect.poll(async () => (await save(stale, 5000)).answer.code).toBe(401)
  })

  it('is not used while notifications from the database may be delayed', async () => {
    const { visitor } = await registerMember(site)
    await watch(visitor)
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^(LISTEN|NOTIFY).*echo' AND datname = current_database()`,
    )
    const recordedQueries = recordQueries('sessions')
    await expect
      .poll(async () => {
        await save(visitor, 1000)
        return recordedQueries().length
      })
      .toBeGreaterThan(0)
    await watch(visitor)
  })
})
