import { Streamed, type Call } from '#server/platform/http/route.ts'
import { sharesOfNetworks } from '#server/platform/http/limits/slots.ts'
import { isPages, mapPages, readPages } from '#server/platform/database/read-pages.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { describeDevice } from '#server/features/members/sessions/describe-device.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { requireStanding } from '#server/features/members/sessions/viewer.ts'
import { selectAuditOf, selectUser, type AuditedRow } from '#server/features/members/queries.ts'
import { selectSessions } from '#server/features/members/sessions/session-queries.ts'
import { oldest } from '#server/features/members/sessions/sessions.ts'

const mostSessions = 1000

/**
 * Streams all stored data of the caller, member or guest, from every feature. Lists are read page by page as the client receives
 * them.
 * @throws Refusal signInFirst without a known token, or if the guest was merged or deleted
 * @throws Fault tooMany while another export of the user runs, or too many others
 */
export async function exportUser(context: MembersContext, call: Call): Promise<Streamed> {
  const { userId, kept } = await requireStanding(context, call)
  const { exportsAtOnce, exportSeconds } = context.bounds
  const done = context.slots.take([
    [`export of ${userId}`, 1],
    ...sharesOfNetworks('exports', call.ip, Math.ceil(exportsAtOnce / 2)),
    ['exports', exportsAtOnce],
  ])
  try {
    const parts = kept ? await partsOf(context, call, userId) : { user: { id: userId } }
    call.setHeader('content-disposition', 'attachment; filename="my-data.json"')
    return new Streamed(writeInfo(parts), { longestMs: exportSeconds * 1000, done })
  } catch (error) {
    done()
    throw error
  }
}

async function partsOf(
  context: MembersContext,
  call: Call,
  userId: string,
): Promise<Record<string, unknown>> {
  const { db, lifecycleHooks, clock } = context
  const user = await selectUser(db, userId)
  if (!user) return { user: { id: userId } }
  await auditCall(context, db, call, 'exported', userId)
  const { password_hash: _, ...own } = user
  const sessions = await selectSessions(db, { userId, ...oldest(clock.now()), limit: mostSessions })
  const audit = readPages<AuditedRow>((after, limit) => selectAuditOf(db, userId, after, limit))
  const parts = {
    user: own,
    sessions: sessions.map(({ user_agent, ...session }) => ({
      ...session,
      user_agent,
      device: describeDevice(user_agent),
    })),
    account_events: mapPages(audit, ({ id: _id, ...row }) => row),
  }
  for (const exportFrom of lifecycleHooks.export) Object.assign(parts, await exportFrom(db, userId))
  return parts
}

/** Writes the envelope around named parts. */
async function* writeInfo(parts: Record<string, unknown>): AsyncGenerator<string> {
  let before = '{"code":200,"info":{\n'
  for (const [name, value] of Object.entries(parts)) {
    yield `${before}${JSON.stringify(name)}: `
    if (isPages(value)) yield* writeList(value)
    else yield JSON.stringify(value, null, 2)
    before = ',\n'
  }
  yield '\n}}\n'
}

async function* writeList(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const page of pages) {
    yield before + page.map((row) => JSON.stringify(row, null, 2)).join(',\n')
    before = ',\n'
  }
  yield before === '[\n' ? '[]' : '\n]'
}
