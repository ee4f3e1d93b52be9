import {
  addFavorite as addFavoriteCall,
  listFavorites as listFavoritesCall,
  listHistory as listHistoryCall,
  removeFavorites as removeFavoritesCall,
  saveHistory,
} from '#contract/library.ts'
import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { Experiments } from '#server/features/experiments/experiments.ts'
import { keepViewer, type MembersContext } from '#server/features/members/members.ts'
import { requireViewer, route, type AdIds, type Route } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { addFavorite, removeFavorites } from './change-favorites.ts'
import { listFavorites, listHistory } from './list-entries.ts'
import { removeFromHistory, savePosition } from './save-position.ts'

export interface LibraryRoutesContext extends MembersContext, Catalog {
  experiments: Experiments
  /** Counts a play where it came from. Tracking knows; server/context.ts joins the two. */
  countPlay(tx: Tx, play: { videoId: string; ids: AdIds; at: Date }): Promise<void>
}

export function libraryRoutes(context: LibraryRoutesContext): Route[] {
  const { db, clock, countPlay, experiments } = context
  return [
    route(listHistoryCall, async (call) => ({
      data: await listHistory(context, requireViewer(call), call.query, call.language, clock.now()),
    })),
    route(saveHistory, async (call) => {
      const { remove, ...rest } = call.body
      requireViewer(call)
      // A row is made for what is kept, and nothing is.
      if (remove?.length === 0) return { info: { removed: 0 } }
      const running = await experiments.running()
      return db.transaction().execute(async (tx) => {
        const userId = await keepViewer(context, tx, call)
        const now = clock.now()
        const onPlay = (videoId: string) => countPlay(tx, { videoId, ids: call.adIds(), at: now })
        return {
          info: remove
            ? await removeFromHistory(tx, userId, { remove, ...rest }, now)
            : await savePosition(tx, userId, rest, now, onPlay, running),
        }
      })
    }),
    route(listFavoritesCall, async (call) => ({
      data: await listFavorites(context, requireViewer(call), call.query, call.language),
    })),
    route(addFavoriteCall, (call) =>
      db.transaction().execute(async (tx) => {
        const userId = await keepViewer(context, tx, call)
        return { info: await addFavorite(tx, userId, call.body.video_id, clock.now()) }
      }),
    ),
    route(removeFavoritesCall, async (call) => {
      const { userId, kept } = requireViewer(call)
      if (!kept) return { info: { removed: 0 } }
      return db
        .transaction()
        .execute(async (tx) => ({ info: await removeFavorites(tx, userId, call.body.video_ids) }))
    }),
  ]
}
