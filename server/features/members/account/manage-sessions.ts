import type { endSessions as endSessionsCall, Session } from '#contract/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call } from '#server/platform/http/route.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { describeDevice } from '#server/features/members/sessions/describe-device.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { requireMember } from '#server/features/members/credentials/reauthenticate.ts'
import { deleteSessions, selectSessions } from '#server/features/members/sessions/session-queries.ts'
import { activeSessionBounds } from '#server/features/members/sessions/sessions.ts'

const maxShown = 100

/**
 * Lists the member's sessions, the latest first.
 * @throws Refusal signInRequired
 */
export async function listSessions({ db, clock }: MembersContext, call: Call): Promise<Session[]> {
  const { userId, sessionId } = requireMember(call)
  const sessions = await selectSessions(db, { userId, ...activeSessionBounds(clock.now()), limit: maxShown })
  return sessions.map(({ id, user_agent, created_at, last_seen_at }) => ({
    id,
    current: id === sessionId,
    device: describeDevice(user_agent),
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
  }))
}

/**
 * Ends one session of the member or, without an id, all sessions except the current one.
 * @throws Refusal signInRequired
 */
export function endSessions(
  context: MembersContext,
  call: Call<typeof endSessionsCall>,
): Promise<{ removed: number }> {
  const { userId, sessionId } = requireMember(call)
  const { id } = call.body
  return inTransaction(context.db, async (tx) => {
    const removed = await deleteSessions(tx, userId, id === undefined ? { except: sessionId } : { id })
    if (removed > 0) await auditCall(context, tx, call, 'sessions_revoked', userId, { removed })
    return { removed }
  })
}
