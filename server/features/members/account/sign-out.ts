import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import {
  serializeCookie,
  type AccountCall,
  type ViewerCall,
  type MembersContext,
} from '#server/features/members/members-context.ts'
import { setTokens, newGuest } from '#server/features/members/sessions/viewer.ts'
import { deleteSessions } from '#server/features/members/sessions/session-queries.ts'

/**
 * Ends the session of the call.
 * @returns a new guest
 */
export async function signOut(context: MembersContext, call: AccountCall): Promise<Viewer> {
  const { viewer } = call
  if (viewer?.sessionId !== undefined) {
    const { userId, sessionId } = viewer
    await inTransaction(context.db, async (tx) => {
      const ended = await deleteSessions(tx, userId, { id: sessionId })
      if (ended > 0) await auditCall(context, tx, call, 'signed_out', userId)
    })
  }
  return replaceWithNewGuest(context, call)
}

/** Replaces the caller by a new guest and deletes the session's cookie. */
export function replaceWithNewGuest(context: MembersContext, call: ViewerCall): Viewer {
  const guest = newGuest()
  if (call.viewer?.sessionId !== undefined)
    call.setHeader('set-cookie', serializeCookie(context.isHttps, 'session', '', 0))
  setTokens(context, { ...call, viewer: null }, guest, true)
  return guest
}
