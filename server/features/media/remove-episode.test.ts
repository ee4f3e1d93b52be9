import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDisk } from '#server/platform/storage/disk.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Tx } from '#server/tables.ts'
import { removeEpisode } from './admin-episodes.ts'

let root: string
let database: TestDatabase

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-remove-episode-'))
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})

/** Returns how many full scans of each table this transaction has made. */
async function fullScans(tx: Tx): Promise<Map<string, number>> {
  const { rows } = await sql<{ table: string; scans: number }>`
    SELECT relname AS table, seq_scan::int AS scans FROM pg_stat_xact_user_tables`.execute(tx)
  return new Map(rows.map(({ table, scans }) => [table, scans]))
}

test('removing an episode that was never playable reads no table completely', async () => {
  const context = { db: database.db, storage: openDisk(root) }
  const { episodes } = await buildVideo(context, { episodes: 1, ready: 0 })
  const scanned = await database.db.transaction().execute(async (tx) => {
    // Without this, PostgreSQL reads small tables completely even if they have an index.
    await sql`SET LOCAL enable_seqscan = off`.execute(tx)
    const before = await fullScans(tx)
    await removeEpisode(tx, episodes[0]?.id ?? '', new Date())
    const after = await fullScans(tx)
    return [...after.keys()].filter((table) => (after.get(table) ?? 0) > (before.get(table) ?? 0))
  })
  expect(scanned).toEqual([])
})
