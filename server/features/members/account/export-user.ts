import { Streamed, type Call } from '#server/platform/http/route.ts'
import { networkSlotLimits } from '#server/platform/http/limits/concurrency-slots.ts'
import { isPages, mapPages, readPages } from '#server/platform/database/read-pages.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { describeDevice } from '#server/features/members/sessions/describe-device.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { requireActiveViewer } from '#server/features/members/sessions/viewer.ts'
import {
  selectAuditEventsOfUser,
  selectUser,
  type AuditEventRow,
} from '#server/features/members/user-queries.ts'
import { selectSessions } from '#server/features/members/sessions/session-queries.ts'
import { activeSessionBounds } from '#server/features/members/sessions/sessions.ts'

const maxSessions = 1000

/**
 * Streams all stored data of the caller, member or guest, from every feature. Lists are read page by page, as fast as
 * the client receives them.
 * @throws Refusal signInRequired without a known token, or if the guest was merged or deleted
 * @throws Fault tooManyRequests while another export of the user is running, or if too many exports of other users are
 * running
 */
export async function exportUser(context: MembersContext, call: Call): Promise<Streamed> {
  const { userId, isStored } = await requireActiveViewer(context, call)
  const { concurrentExports, exportSeconds } = context.resourceLimits
  const releaseSlot = context.concurrencySlots.take([
    [`export of ${userId}`, 1],
    ...networkSlotLimits('exports', call.ip, Math.ceil(concurrentExports / 2)),
    ['exports', concurrentExports],
  ])
  try {
    const sections = isStored ? await loadSections(context, call, userId) : { user: { id: userId } }
    call.setHeader('content-disposition', 'attachment; filename="my-data.json"')
    return new Streamed(streamSections(sections), {
      maxDurationMs: exportSeconds * 1000,
      onDone: releaseSlot,
    })
  } catch (error) {
    releaseSlot()
    throw error
  }
}

async function loadSections(
  context: MembersContext,
  call: Call,
  userId: string,
): Promise<Record<string, unknown>> {
  const { db, lifecycleHooks, clock } = context
  const user = await selectUser(db, userId)
  if (!user) return { user: { id: userId } }
  await auditCall(context, db, call, 'data_exported', userId)
  const { password_hash: _, ...profile } = user
  const sessions = await selectSessions(db, {
    userId,
    ...activeSessionBounds(clock.now()),
    limit: maxSessions,
  })
  const audit = readPages<AuditEventRow>((after, limit) => selectAuditEventsOfUser(db, userId, after, limit))
  const sections = {
    user: profile,
    sessions: sessions.map(({ user_agent, ...session }) => ({
      ...session,
      user_agent,
      device: describeDevice(user_agent),
    })),
    account_events: mapPages(audit, ({ id: _id, ...row }) => row),
  }
  for (const runHook of lifecycleHooks.export) Object.assign(sections, await runHook(db, userId))
  return sections
}

/** Streams the sections as JSON in the API's envelope. */
async function* streamSections(sections: Record<string, unknown>): AsyncGenerator<string> {
  let prefix = '{"code":200,"info":{\n'
  for (const [name, value] of Object.entries(sections)) {
    yield `${prefix}${JSON.stringify(name)}: `
    if (isPages(value)) yield* streamList(value)
    else yield JSON.stringify(value, null, 2)
    prefix = ',\n'
  }
  yield '\n}}\n'
}

async function* streamList(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let prefix = '[\n'
  for await (const page of pages) {
    yield prefix + page.map((row) => JSON.stringify(row, null, 2)).join(',\n')
    prefix = ',\n'
  }
  yield prefix === '[\n' ? '[]' : '\n]'
}
