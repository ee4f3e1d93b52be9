import * as calls from '#contract/members.ts'
import { route, type Call, type Route, type Viewer } from '#server/platform/http/route.ts'
import { changeUser } from './account/change-user.ts'
import { deleteUser } from './account/delete-user.ts'
import { exportUser } from './account/export-user.ts'
import { endSessions, listSessions } from './account/manage-sessions.ts'
import {
  setTokens,
  loadUser,
  newGuest,
  storeReferrer,
  findActiveViewer,
  type MembersContext,
  type UserContext,
} from './members.ts'
import { register } from './account/register.ts'
import { signIn } from './account/sign-in.ts'
import { signOut } from './account/sign-out.ts'

export type MembersRoutesContext = MembersContext & UserContext

export function membersRoutes(context: MembersRoutesContext): Route[] {
  const respondWithUser = async (viewer: Viewer, { language }: Pick<Call, 'language'>) => ({
    info: await loadUser(context, viewer, language),
  })
  return [
    route(calls.getUser, async (call) => {
      const existingViewer = await findActiveViewer(context, call)
      const viewer = storeReferrer(context, { ...call, viewer: existingViewer }, existingViewer ?? newGuest())
      setTokens(context, { ...call, viewer: existingViewer }, viewer, true)
      return respondWithUser(viewer, call)
    }),
    route(calls.changeUser, async (call) => {
      const viewer = await changeUser(context, call)
      setTokens(context, call, viewer, true)
      return respondWithUser(viewer, call)
    }),
    route(calls.registerUser, async (call) => respondWithUser(await register(context, call), call)),
    route(calls.signIn, async (call) => respondWithUser(await signIn(context, call), call)),
    route(calls.signOut, async (call) => respondWithUser(await signOut(context, call), call)),
    route(calls.deleteUser, async (call) => respondWithUser(await deleteUser(context, call), call)),
    route(calls.listSessions, async (call) => ({
      data: { list: await listSessions(context, call), next_cursor: null },
    })),
    route(calls.endSessions, async (call) => ({ info: await endSessions(context, call) })),
    route(calls.exportUser, (call) => exportUser(context, call)),
  ]
}
