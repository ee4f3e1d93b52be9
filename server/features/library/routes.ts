import {
  addFavorite as addFavoriteCall,
  listFavorites as listFavoritesCall,
  listHistory as listHistoryCall,
  removeFavorites as removeFavoritesCall,
  saveHistory,
} from '#contract/library.ts'
import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { Experiments } from '#server/features/experiments/experiments.ts'
import { keepViewer, requireStanding, type MembersContext } from '#server/features/members/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { requireViewer, route, type AdIds, type Call, type Route } from '#server/platform/http/route.ts'
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
    route(listHistoryCall, async (call) => {
      const viewer = await requireStanding(context, call)
      return { data: await listHistory(context, viewer, call.query, call.language, clock.now()) }
    }),
    route(saveHistory, async (call) => {
      const { remove, ...rest } = call.body
      if (remove)
        return removeKept(context, call, (tx, userId) =>
          removeFromHistory(tx, userId, { remove, ...rest }, clock.now()),
        )
      requireViewer(call)
      const running = await experiments.running()
      return inTransaction(db, async (tx) => {
        const userId = await keepViewer(context, tx, call)
        const now = clock.now()
        const onPlay = (videoId: string) => countPlay(tx, { videoId, ids: call.adIds(), at: now })
        return { info: await savePosition(tx, userId, rest, now, onPlay, running) }
      })
    }),
    route(listFavoritesCall, async (call) => {
      const viewer = await requireStanding(context, call)
      return { data: await listFavorites(context, viewer, call.query, call.language) }
    }),
    route(addFavoriteCall, (call) =>
      inTransaction(db, async (tx) => {
        const userId = await keepViewer(context, tx, call)
        return { info: await addFavorite(tx, userId, call.body.video_id, clock.now()) }
      }),
    ),
    route(removeFavoritesCall, (call) =>
      removeKept(context, call, (tx, userId) => removeFavorites(tx, userId, call.body.video_ids)),
    ),
  ]
}

/** Takes something of the viewer's away. Of whom nothing is kept there is nothing, and no row is made for that. */
async function removeKept(
  context: MembersContext,
  call: Pick<Call, 'viewer' | 'language' | 'setHeader' | 'adIds'>,
  work: (tx: Tx, userId: string) => Promise<{ removed: number }>,
) {
  const { kept } = await requireStanding(context, call)
  if (!kept) return { info: { removed: 0 } }
  return inTransaction(context.db, async (tx) => {
    const userId = await keepViewer(context, tx, call)
    return { info: await work(tx, userId) }
  })
}
