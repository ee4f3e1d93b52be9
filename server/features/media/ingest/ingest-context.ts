import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { MediaKeys } from '#server/features/media/media-keys.ts'
import type { Db } from '#server/tables.ts'
import type { Programs } from './convert/programs.ts'

export interface IngestContext {
  db: Db
  storage: Storage
  clock: Clock
  log: Log
  programs: Programs
  mediaKeys: MediaKeys
}
