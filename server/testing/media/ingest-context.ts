import type { Context } from '#server/context.ts'
import { workerDb } from '#server/testing/database/worker-db.ts'
import { programs } from './test-media.ts'

/** Returns the context of a site as its worker has it: with ffmpeg, and connections that keep their session. */
export const ingestContextOf = (context: Context) => ({
  ...context,
  db: workerDb(context.database),
  programs,
})
