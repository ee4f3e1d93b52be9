import type { Call } from '#server/platform/http/route.ts'
import { auditCall } from './audit-call.ts'
import { describeDevice } from './describe-device.ts'
import type { MembersContext } from './members-context.ts'
import { requireStanding } from './members.ts'
import { selectAuditOf, selectUser } from './queries.ts'
import { selectSessions } from './session-queries.ts'
import { oldest } from './sessions.ts'

const mostSessions = 1000

/**
 * Everything that is kept of the caller, member or guest, by every feature (security.md, "The person's data").
 * @throws Refusal signInFirst without a known token, or where the guest has ended
 */
export async function exportUser(context: MembersContext, call: Call): Promise<Record<string, unknown>> {
  const { db, moments, clock } = context
  const { userId, kept } = await requireStanding(context, call)
  const user = kept ? await selectUser(db, userId) : undefined
  if (!user) return { user: { id: userId } }
  await auditCall(context, db, call, 'exported', userId)
  const parts = []
  for (const exportFrom of moments.export) parts.push(await exportFrom(db, userId))
  const { password_hash: _, ...own } = user
  const sessions = await selectSessions(db, { userId, ...oldest(clock.now()), limit: mostSessions })
  return Object.assign(
    {
      user: own,
      sessions: sessions.map(({ user_agent, ...session }) => ({
        ...session,
        user_agent,
        device: describeDevice(user_agent),
      })),
      account_events: await selectAuditOf(db, userId),
    },
    ...parts,
  )
}
