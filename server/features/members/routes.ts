import { changeUser as changeUserCall, getUser, type Membership } from '#contract/members.ts'
import { route, type Call, type Route, type Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { changeUser, giveTokens, keepViewer, loadUser, newGuest, type MembersContext } from './members.ts'

export interface MembersRoutesContext extends MembersContext {
  /** What billing says of a person's membership; context.ts joins the two. */
  membershipOf(db: Db, viewer: Viewer, language: Call['language']): Promise<Membership>
}

export function membersRoutes(context: MembersRoutesContext): Route[] {
  const present = async (viewer: Viewer, language: Call['language']) => ({
    info: await loadUser(context.db, viewer, await context.membershipOf(context.db, viewer, language)),
  })
  return [
    route(getUser, async (call) => {
      const viewer: Viewer = call.viewer ?? { ...newGuest(), role: 'visitor' }
      giveTokens(context, call, viewer, true)
      return present(viewer, call.language)
    }),
    route(changeUserCall, async (call) => {
      const userId = await context.db.transaction().execute(async (tx) => {
        const id = await keepViewer(context, tx, call)
        await changeUser(tx, id, call.body)
        return id
      })
      const viewer: Viewer = { userId, role: call.viewer?.role ?? 'visitor', kept: true }
      giveTokens(context, call, viewer, true)
      return present(viewer, call.language)
    }),
  ]
}
