import type { Experiments } from '#server/features/experiments/experiments.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'
import type { JoinWrites } from '#server/platform/join-writes.ts'
import type { Log } from '#server/platform/log.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import type { Db, Tx } from '#server/tables.ts'
import { hasPlayCountChanges } from './counts/count-queries.ts'
import { selectLastActivity } from './history/history-queries.ts'
import { bufferPositions } from './history/position-buffer.ts'
import type { CountPlays } from './history/write-positions.ts'
import { recentlyWatched } from './update-next-watched.ts'
import { loadViewerState, type ViewerState } from './library.ts'
import { eraseLibrary } from './personal-data/erase-library.ts'
import { exportLibrary } from './personal-data/export-library.ts'
import { mergeLibrary } from './personal-data/merge-library.ts'

interface Dependencies {
  db: Db
  clock: Clock
  log: Log
  quotas: NetworkQuotas
  experiments: Experiments
  countPlays: CountPlays
  joinWrites: JoinWrites<Tx>
  catalogueChanges: ChangeFeed
}

/**
 * Adds the buffer of playback positions to the context. A viewer's pending positions are written before the viewer's
 * records are read or changed.
 */
export async function libraryFeature({ experiments, ...dependencies }: Dependencies) {
  const saves = bufferPositions({ ...dependencies, running: () => experiments.running() })
  return {
    parts: {
      saves,
      playCounts: { hasChanges: await hasPlayCountChanges(dependencies.db) },
      async personalFor(db: Db, viewer: Viewer | null, videoId: string): Promise<ViewerState> {
        if (viewer) await saves.flushUser(viewer.userId)
        const { state, viewing } = await loadViewerState(db, viewer, videoId)
        // With this cache, the first position in the video needs no query.
        if (viewer && viewing) saves.cacheViewing(viewer.userId, videoId, viewing)
        return state
      },
      async recentlyWatched(db: Db, viewer: Viewer) {
        await saves.flushUser(viewer.userId)
        return recentlyWatched(db, viewer)
      },
    },
    lifecycleHooks: {
      merge: [
        async (tx: Tx, guest: string, member: string) => {
          for (const id of [guest, member]) await saves.flushUserInTransaction(tx, id)
          await mergeLibrary(tx, guest, member)
        },
      ],
      erase: [
        async (tx: Tx, userId: string, now: Date) => {
          await saves.flushUserInTransaction(tx, userId)
          await eraseLibrary(tx, userId, now)
        },
      ],
      lastActive: [
        async (tx: Tx, userId: string) => {
          await saves.flushUserInTransaction(tx, userId)
          return selectLastActivity(tx, userId)
        },
      ],
      export: [
        async (db: Db, userId: string) => {
          await saves.flushUser(userId)
          return exportLibrary(db, userId)
        },
      ],
    },
    stop: () => saves.stop(),
  }
}
