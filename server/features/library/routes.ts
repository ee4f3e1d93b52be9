import { listHistory as listHistoryCall, saveHistory } from '#contract/library.ts'
import { keepViewer, type MembersContext } from '#server/features/members/members.ts'
import { requireViewer, route, type Route } from '#server/platform/http/route.ts'
import { listHistory, removeFromHistory, savePosition } from './library.ts'

export function libraryRoutes(context: MembersContext): Route[] {
  const { db, clock } = context
  return [
    route(listHistoryCall, async (call) => {
      const viewer = requireViewer(call)
      if (!viewer.kept) return { data: { list: [], next_cursor: null } }
      return { data: await listHistory(db, viewer.userId, call.query, call.language) }
    }),
    route(saveHistory, (call) =>
      db.transaction().execute(async (tx) => {
        const userId = await keepViewer(context, tx, call)
        const { remove } = call.body
        return {
          info: remove
            ? await removeFromHistory(tx, userId, remove)
            : await savePosition(tx, userId, call.body, clock.now()),
        }
      }),
    ),
  ]
}
