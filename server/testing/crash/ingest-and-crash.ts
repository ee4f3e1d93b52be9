// A worker process that converts the files in the ingest queue, and may kill itself with SIGKILL. It does so `at`
// milliseconds after its start (`after`), or when it has moved `at` files and folders to their final place (`moved`).
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { requeueAbandoned } from '#server/features/media/ingest/queue/asset-states.ts'
import { processNextAsset } from '#server/features/media/ingest/queue/ingest-queue.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import { createMediaKeys } from '#server/features/media/media-keys.ts'
import { systemClock } from '#server/platform/clock.ts'
import { columnTypes } from '#server/platform/database/column-types.ts'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Tables } from '#server/tables.ts'

const [url = '', dataDir = '', ffmpegPath = '', ffprobePath = '', when = 'never', at = '0'] =
  process.argv.slice(2)
const killProcess = () => process.kill(process.pid, 'SIGKILL')
const pollMs = 50

function crashingStorage(storage: Storage): Storage {
  let moved = 0
  return {
    ...storage,
    async moveFromWorkDir(path, key, signal) {
      await storage.moveFromWorkDir(path, key, signal)
      if (when === 'moved' && ++moved === Number(at)) killProcess()
    },
  }
}

const pool = new pg.Pool({ connectionString: url, types: columnTypes })
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
const context: IngestContext = {
  db,
  storage: crashingStorage(openDisk(dataDir)),
  clock: systemClock,
  log: createLog({ json: true, level: 'silent' }),
  programs: { ffmpegPath, ffprobePath },
  mediaKeys: createMediaKeys('a secret of the tests', false),
}
if (when === 'after') setTimeout(killProcess, Number(at))
const isOpen = () =>
  db.selectFrom('assets').select('id').where('state', 'in', ['uploaded', 'processing']).executeTakeFirst()
while (await isOpen()) {
  await requeueAbandoned(db)
  const processed = await processNextAsset(context, { signal: new AbortController().signal, niceness: 0 })
  if (processed === undefined) await delay(pollMs)
}
await db.destroy()
