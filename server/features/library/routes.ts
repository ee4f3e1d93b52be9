import {
  addFavorite as addFavoriteCall,
  listFavorites as listFavoritesCall,
  listHistory as listHistoryCall,
  removeFavorites as removeFavoritesCall,
  saveHistory,
} from '#contract/library.ts'
import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { Experiments } from '#server/features/experiments/experiments.ts'
import { ensureUserRow, requireActiveViewer, type MembersContext } from '#server/features/members/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { requireViewer, route, type Call, type Route } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { addFavorite, removeFavorites } from './change-favorites.ts'
import { listFavorites, listHistory } from './list-history-and-favorites.ts'
import { presentSaveResult, removeFromHistory, savePosition } from './history/save-position.ts'
import type { SaveCall, PositionBuffer } from './history/position-buffer.ts'
import type { CountPlays } from './history/write-positions.ts'

export interface LibraryRoutesContext extends MembersContext, Catalog {
  experiments: Experiments
  countPlays: CountPlays
  saves: PositionBuffer
  playCounts: { hasChanges: boolean }
}

/** Reads the position in a call, with the call's time zone and ad ids. */
function readSaveCall(call: Call<typeof saveHistory>, userId: string): SaveCall {
  const { video_id, episode_id, position_ms, at } = call.body
  const position = {
    ...(video_id === undefined ? {} : { video_id }),
    ...(episode_id === undefined ? {} : { episode_id }),
    ...(position_ms === undefined ? {} : { position_ms }),
    ...(at === undefined ? {} : { at }),
  }
  return { userId, position, ip: call.ip, zone: call.timeZone(), ids: call.adIds() }
}

export function libraryRoutes(context: LibraryRoutesContext): Route[] {
  const { db, clock, countPlays, experiments, saves, quotas } = context
  const save = async (call: Call<typeof saveHistory>) => {
    const { userId } = requireViewer(call)
    await saves.flushUser(userId)
    const running = await experiments.running()
    const saved = await inTransaction(db, async (tx) => {
      await ensureUserRow(context, tx, call)
      const now = clock.now()
      const onPlay = async (videoId: string) => {
        quotas.spendOrThrow('library', call.ip)
        await countPlays(tx, [{ videoId, ids: call.adIds(), at: now }])
      }
      return savePosition(tx, userId, call.body, now, onPlay, running)
    })
    saves.cache(readSaveCall(call, userId), saved)
    return presentSaveResult(saved, call.body)
  }
  return [
    route(listHistoryCall, async (call) => {
      const viewer = await requireActiveViewer(context, call)
      await saves.flushUser(viewer.userId)
      return { data: await listHistory(context, viewer, call.query, call.language, clock.now()) }
    }),
    route(
      saveHistory,
      async (call) => {
        const { remove, ...rest } = call.body
        if (!remove) return { info: await save(call) }
        const { userId } = requireViewer(call)
        await saves.flushUser(userId)
        saves.evict(userId)
        return removeRecords(context, call, async (tx, viewerId) => {
          const { removed, added } = await removeFromHistory(tx, viewerId, { remove, ...rest }, clock.now())
          if (added > 0) quotas.spendOrThrow('library', call.ip, added)
          return { removed }
        })
      },
      // A viewer saves a position every few seconds while watching. So the viewer is taken from the cache of sessions.
      // After the viewer has opened the video's page in this process, a save usually needs no query.
      async (call) => {
        if (call.body.remove || !call.viewer) return undefined
        return { info: (await saves.accept(readSaveCall(call, call.viewer.userId))) ?? (await save(call)) }
      },
    ),
    route(listFavoritesCall, async (call) => {
      const viewer = await requireActiveViewer(context, call)
      return { data: await listFavorites(context, viewer, call.query, call.language) }
    }),
    route(addFavoriteCall, (call) =>
      inTransaction(db, async (tx) => {
        const userId = await ensureUserRow(context, tx, call)
        quotas.spendOrThrow('library', call.ip)
        return { info: await addFavorite(tx, userId, call.body.video_id, clock.now()) }
      }),
    ),
    route(removeFavoritesCall, (call) =>
      removeRecords(context, call, (tx, userId) => removeFavorites(tx, userId, call.body.video_ids)),
    ),
  ]
}

/** Removes records of the viewer. A viewer without a row has no records, and this call creates no row. */
async function removeRecords(
  context: MembersContext,
  call: Pick<Call, 'viewer' | 'language' | 'setHeader' | 'adIds'>,
  work: (tx: Tx, userId: string) => Promise<{ removed: number }>,
) {
  const { isStored } = await requireActiveViewer(context, call)
  if (!isStored) return { info: { removed: 0 } }
  return inTransaction(context.db, async (tx) => {
    const userId = await ensureUserRow(context, tx, call)
    return { info: await work(tx, userId) }
  })
}
