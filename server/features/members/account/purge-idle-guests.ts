import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { deleteUserRow, lockIdleGuests, updateUser } from '#server/features/members/user-queries.ts'
import { guestDays } from '#server/features/members/sessions/guest-token.ts'
import { eraseAccount } from './delete-user.ts'

/** Number of guests per transaction. */
const batchSize = 20

/**
 * Deletes guests who have been inactive for the lifetime of a guest cookie, with all their data. Guests with orders or
 * entitlements remain, because billing reports them as active (billing/feature.ts).
 */
export async function purgeIdleGuests(context: MembersContext, signal: AbortSignal): Promise<void> {
  const before = new Date(context.clock.now().getTime() - guestDays * dayMs)
  let checkedCount = batchSize
  while (checkedCount === batchSize && !signal.aborted)
    checkedCount = await inTransaction(context.db, (tx) => purgeIdleBatch(context, tx, before))
}

/**
 * Deletes the idle guests of one batch.
 * @returns how many guests were checked
 */
async function purgeIdleBatch(context: MembersContext, tx: Tx, before: Date): Promise<number> {
  const ids = await lockIdleGuests(tx, before, batchSize)
  for (const id of ids) {
    const activeAt = await findLastActivity(context, tx, id)
    if (activeAt > before) {
      await updateUser(tx, id, { last_active_at: activeAt })
      continue
    }
    await eraseAccount(context, tx, id)
    await deleteUserRow(tx, id)
  }
  return ids.length
}

/** Returns the latest activity of a guest in the records of all features. Returns 1970 if there is none. */
async function findLastActivity({ lifecycleHooks }: MembersContext, tx: Tx, userId: string): Promise<Date> {
  let latest = 0
  for (const runHook of lifecycleHooks.lastActive)
    latest = Math.max(latest, (await runHook(tx, userId))?.getTime() ?? 0)
  return new Date(latest)
}
