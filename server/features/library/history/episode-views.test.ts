import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Tx } from '#server/tables.ts'
import { recordEpisodeViews, type InsertRace } from './playback-queries.ts'

let database: TestDatabase
let episode_id: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => {
  episode_id = newId('ep')
})

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => database.db.transaction().execute(work)

async function makeUsers(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('usr'))
  await database.pool.query(
    'INSERT INTO users (id, referral_code) SELECT id, id FROM unnest($1::text[]) AS given (id)',
    [ids],
  )
  return ids
}

const viewsOf = (users: readonly string[], finished: boolean) =>
  users.map((user_id) => ({ user_id, episode_id, finished }))

const record = (users: readonly string[], finished: boolean, race?: InsertRace) =>
  inTransaction((tx) => recordEpisodeViews(tx, viewsOf(users, finished), race))

/** Returns how many viewers were counted as having started, and as having finished. */
async function counted() {
  const { rows } = await database.pool.query<{ started: number; finished: number }>(
    `SELECT coalesce(sum(started), 0)::int AS started, coalesce(sum(finished), 0)::int AS finished
     FROM episode_viewer_changes WHERE episode_id = $1`,
    [episode_id],
  )
  return rows[0]
}

describe.each(['wait', 'fail'] as const)(
  'an episode view (on a conflict with another transaction: %s)',
  (race) => {
    it('is counted once as started and once as finished, in any order', async () => {
      const [a = '', b = '', c = ''] = await makeUsers(3)
      await record([a, b], false, race)
      expect(await counted()).toEqual({ started: 2, finished: 0 })
      await record([b, c], true, race)
      expect(await counted()).toEqual({ started: 3, finished: 2 })
      // Records the same views again, as after a lost connection.
      for (const finished of [false, true]) await record([b, c], finished, race)
      expect(await counted()).toEqual({ started: 3, finished: 2 })
    })

    it('is counted once if a batch contains both its start and its finish', async () => {
      const users = await makeUsers(2)
      const both = [...viewsOf(users, false), ...viewsOf(users, true)]
      await inTransaction((tx) => recordEpisodeViews(tx, both, race))
      expect(await counted()).toEqual({ started: 2, finished: 2 })
    })

    it('is counted as finished once if two transactions record the finish at the same time', async () => {
      const users = await makeUsers(3)
      await record(users, false, race)
      const gate = Promise.withResolvers<void>()
      const written = Promise.withResolvers<void>()
      const first = inTransaction(async (tx) => {
        await recordEpisodeViews(tx, viewsOf(users, true), race)
        written.resolve()
        await gate.promise
      })
      await written.promise
      const second = record(users, true, race)
      await waitForLock(database.pool)
      gate.resolve()
      await Promise.all([first, second])
      expect(await counted()).toEqual({ started: 3, finished: 3 })
    })
  },
)

describe('two transactions that record the same new episode view', () => {
  /** Starts the episode in one transaction, and finishes it in another one that has to wait for the first. */
  async function startAndFinish(user: string, race: InsertRace): Promise<PromiseSettledResult<void>> {
    const gate = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const first = inTransaction(async (tx) => {
      await recordEpisodeViews(tx, viewsOf([user], false))
      written.resolve()
      await gate.promise
    })
    await written.promise
    const second = Promise.allSettled([record([user], true, race)])
    await waitForLock(database.pool)
    gate.resolve()
    await first
    const [result] = await second
    return result
  }

  it('count it once if the second one updates the row of the first', async () => {
    const [user = ''] = await makeUsers(1)
    expect(await startAndFinish(user, 'wait')).toMatchObject({ status: 'fulfilled' })
    expect(await counted()).toEqual({ started: 1, finished: 1 })
  })

  it('count it once if the second one fails with a conflict and is repeated', async () => {
    const [user = ''] = await makeUsers(1)
    expect(await startAndFinish(user, 'fail')).toMatchObject({
      status: 'rejected',
      reason: { code: '23505' },
    })
    expect(await counted()).toEqual({ started: 1, finished: 0 })
    await record([user], true)
    expect(await counted()).toEqual({ started: 1, finished: 1 })
  })
})
