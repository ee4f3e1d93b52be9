import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssetState } from '#server/features/media/tables.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { workerDb } from '#server/testing/database/worker-db.ts'
import {
  claimNext,
  ClaimLost,
  assertStillClaimed,
  requeue,
  markFailed,
  markReady,
  requeueAbandoned,
  retryFailed,
  type Claim,
} from './asset-states.ts'
import { insertAsset, unlockAll } from '#server/features/media/ingest/asset-queries.ts'
import { UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'

const now = new Date('2026-03-01T12:00:00Z')
const result = {
  width: 720,
  height: 1280,
  durationMs: 18_000,
  hasAudio: true,
  captions: new Map(),
  notes: [{ key: 'captionTracks' as const, tracks: '2' }],
}
const captions = [{ lang: 'en' as const, hash: 'a hash' }]
const states: readonly AssetState[] = ['uploaded', 'processing', 'ready', 'failed']

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** Creates an asset in its second attempt, after one failure. */
async function makeAsset(state: AssetState): Promise<Claim> {
  const { db } = database
  const id = newId('ast')
  const file = { source_name: '01.mp4', source_hash: id, captions, priority: 0 }
  await insertAsset(db, { id, original_path: `originals/${id}.mp4`, ...file })
  const folder = state === 'ready' ? `${id}-1` : null
  const failure = { failures: 1, reason: 'is empty', reason_details: '{"key":"empty"}' }
  const changes = { state, folder, attempt: 2, progress: 40, ...failure }
  await db.updateTable('assets').set(changes).where('id', '=', id).execute()
  return { id, attempt: 2 }
}

const read = ({ id }: Claim) =>
  database.db.selectFrom('assets').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)

/** Claims an asset from the queue like a worker, and holds its lock until `work` ends. */
const claiming = <T>(id: string, work: (claim: Claim | undefined) => Promise<T>): Promise<T> =>
  workerDb(database)
    .connection()
    .execute(async (connection) => {
      try {
        return await work(await claimNext(connection, [id]))
      } finally {
        await unlockAll(connection)
      }
    })

test('a worker claims a waiting asset and counts an attempt, and claims no asset in another state', async () => {
  const waiting = await makeAsset('uploaded')
  await claiming(waiting.id, async (claim) => {
    expect(claim).toMatchObject({ id: waiting.id, attempt: 3, failures: 1, source_name: '01.mp4' })
    expect(await read(waiting)).toMatchObject({ state: 'processing', attempt: 3, progress: 0 })
  })
  for (const state of ['processing', 'ready', 'failed'] as const) {
    const asset = await makeAsset(state)
    await claiming(asset.id, async (claim) => expect(claim).toBeUndefined())
    expect(await read(asset)).toMatchObject({ state, attempt: 2, progress: 40 })
  }
})

describe('a worker without the current claim of an asset cannot', () => {
  const transitions: Record<string, (db: Db, claim: Claim) => Promise<unknown>> = {
    'mark it ready': (_, claim) => inTransaction((tx) => markReady(tx, claim, result, now)),
    'mark it failed': (db, claim) =>
      markFailed(db, claim, new UnusableFile({ key: 'cutOff', made: 1, declared: 2 }), now),
    'requeue it': requeue,
    'continue with it': assertStillClaimed,
  }

  test.each(Object.keys(transitions))('%s', async (name) => {
    const { db } = database
    for (const state of states) {
      const asset = await makeAsset(state)
      const lost = new ClaimLost(asset.id)
      expect(lost.message).toBe(`Asset ${asset.id} was claimed by another worker.`)
      const before = await read(asset)
      await expect(transitions[name]?.(db, { ...asset, attempt: 1 })).rejects.toThrow(lost)
      if (state !== 'processing') await expect(transitions[name]?.(db, asset)).rejects.toThrow(lost)
      expect(await read(asset)).toEqual(before)
      if (state === 'processing') await expect(transitions[name]?.(db, asset)).resolves.not.toThrow()
    }
  })
})

test('a ready asset has its properties, and does not have the reason of an earlier failure', async () => {
  const asset = await makeAsset('processing')
  expect(await inTransaction((tx) => markReady(tx, asset, result, now))).toEqual(captions)
  expect(await read(asset)).toMatchObject({
    state: 'ready',
    progress: 100,
    folder: `${asset.id}-2`,
    width: 720,
    height: 1280,
    duration_ms: 18_000,
    has_audio: true,
    ready_at: now,
    reason: null,
    reason_details: null,
    notes: [{ key: 'captionTracks', tracks: '2' }],
  })
})

test('a failed asset has its reason and time', async () => {
  const asset = await makeAsset('processing')
  await markFailed(database.db, asset, new UnusableFile({ key: 'noPicture' }), now)
  const row = await read(asset)
  expect(row).toMatchObject({ state: 'failed', reason_details: { key: 'noPicture' }, failed_at: now })
  expect(row.reason).toBe(new UnusableFile({ key: 'noPicture' }).message)
})

test('a requeued asset waits again, with its old or the given number of failures', async () => {
  const asset = await makeAsset('processing')
  await requeue(database.db, asset)
  expect(await read(asset)).toMatchObject({ state: 'uploaded', progress: 0, failures: 1 })
  const another = await makeAsset('processing')
  await requeue(database.db, another, 2)
  expect(await read(another)).toMatchObject({ state: 'uploaded', progress: 0, failures: 2 })
})

test('an asset whose worker died waits again, and an asset of an active worker remains claimed', async () => {
  const abandoned = await makeAsset('processing')
  const waiting = await makeAsset('uploaded')
  await claiming(waiting.id, async () => {
    const ids = await requeueAbandoned(database.db)
    expect(ids).toContain(abandoned.id)
    expect(ids).not.toContain(waiting.id)
  })
  expect(await read(abandoned)).toMatchObject({ state: 'uploaded', progress: 0 })
  expect(await read(waiting)).toMatchObject({ state: 'processing' })
})

test('only a failed asset can be retried, and its counters are reset', async () => {
  for (const state of states) {
    const asset = await makeAsset(state)
    expect(await inTransaction((tx) => retryFailed(tx, asset.id))).toBe(state === 'failed')
    if (state === 'failed')
      expect(await read(asset)).toMatchObject({ state: 'uploaded', progress: 0, failures: 0, reason: null })
    else expect(await read(asset)).toMatchObject({ state, progress: 40, failures: 1 })
  }
})
