import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { withBackupLock } from '#server/platform/database/dump-tables.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { agedStorage } from '#server/testing/aged-storage.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { recordOrphaned } from './file-queries.ts'
import { purgeOrphanedFiles } from './orphaned-files.ts'
import { purgeDeletedAssets, purgeOrphanedOriginals } from './purge-storage.ts'

const dayMs = 24 * 3_600_000
const numbers = [1, 2, 3, 4, 5]

let root: string
let database: TestDatabase
let storage: Storage

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-purge-'))
  storage = openDisk(root)
  database = await createTestDatabase({ direct: true })
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(async () => {
  for (const number of numbers) await storage.write(`originals/ast_${number}.mp4`, 'film')
})

async function originals(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list('originals')) keys.push(key)
  return keys
}

/** Records in `calls` which originals were listed and removed, in this order. All of them are two days old. */
function recordedStorage(calls: string[]): Storage {
  const aged = agedStorage(storage, 2 * dayMs)
  return {
    ...aged,
    async *list(folder) {
      for await (const file of aged.list(folder)) {
        calls.push('list')
        yield file
      }
    },
    async remove(key) {
      calls.push('remove')
      await aged.remove(key)
    },
  }
}

test('orphaned originals are deleted while the rest of the list is not read yet', async () => {
  const calls: string[] = []
  const context = { db: database.db, storage: recordedStorage(calls) }
  expect(await purgeOrphanedOriginals(context, new Date(), { pageSize: 2 })).toBe(5)
  const page = ['list', 'list', 'remove', 'remove']
  expect(calls).toEqual([...page, ...page, 'list', 'remove'])
  expect(await originals()).toEqual([])
})

test('the purge of originals stops before the next page once the process closes', async () => {
  const context = { db: database.db, storage: agedStorage(storage, 2 * dayMs) }
  const closing = new AbortController()
  const closesOnRemoval = {
    ...context.storage,
    remove: (key: string) => {
      closing.abort()
      return storage.remove(key)
    },
  }
  const options = { signal: closing.signal, pageSize: 2 }
  expect(await purgeOrphanedOriginals({ ...context, storage: closesOnRemoval }, new Date(), options)).toBe(2)
  expect(await originals()).toHaveLength(3)
})

test('the purge of deleted assets stops before the next page once a backup has started, and continues later', async () => {
  const longAgo = new Date(Date.now() - 2 * dayMs)
  await database.db
    .insertInto('assets')
    .values(
      numbers.map((number) => ({
        id: `ast_${number}`,
        state: 'uploaded' as const,
        original_path: `originals/ast_${number}.mp4`,
        source_name: '01.mp4',
        source_hash: String(number),
        deleted_at: longAgo,
      })),
    )
    .execute()
  const [started, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let backup: Promise<void> | undefined
  const startsBackup = {
    ...storage,
    async remove(key: string) {
      backup ??= withBackupLock(database.sessions, () => {
        started.resolve()
        return over.promise
      })
      await started.promise
      await storage.remove(key)
    },
  }
  expect(await purgeDeletedAssets({ db: database.db, storage: startsBackup }, new Date(), 2)).toBe(2)
  over.resolve()
  await backup
  expect(await purgeDeletedAssets({ db: database.db, storage }, new Date(), 2)).toBe(3)
  expect(await originals()).toEqual([])
})

test('records of orphaned files are read page by page, and their assets by indexes', async () => {
  await database.pool.query(`
    INSERT INTO assets (id, folder, state, source_name, source_hash)
    SELECT 'ast_' || n, 'ast_' || n || '-1', 'ready', '01.mp4', n FROM generate_series(1, 20000) n;
    ANALYZE assets`)
  await recordOrphaned(
    database.db,
    numbers.map((number) => `media/ast_died_${number}-1`),
  )
  const later = new Date(Date.now() + 2 * dayMs)
  const plans = await queryPlans(
    database,
    (db) => purgeOrphanedFiles({ db, storage }, later, 2),
    'these values',
  )
  const selects = plans.filter(({ sql }) => sql.includes('AS named')).map(({ plan }) => plan)
  expect(selects).toHaveLength(3)
  for (const plan of selects) {
    expect(plan).toMatch(/^Limit/)
    expect(plan).not.toContain('Seq Scan on assets')
  }
})
