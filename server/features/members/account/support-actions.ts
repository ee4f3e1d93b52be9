import { Refusal } from '#contract/errors.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import type { Db, Tx } from '#server/tables.ts'
import { assertErasable, eraseAccount } from './delete-user.ts'
import { describeDevice } from '#server/features/members/sessions/describe-device.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import {
  lockGuestStatus,
  lockUser,
  selectUser,
  selectUserByEmail,
  type UserRow,
} from '#server/features/members/user-queries.ts'
import { selectSessions } from '#server/features/members/sessions/session-queries.ts'
import { endUserSessions, activeSessionBounds } from '#server/features/members/sessions/sessions.ts'

/** An account as operators see it, without the password hash and any other credentials. */
export type AdminAccount = Omit<UserRow, 'password_hash'>

/**
 * Returns a user by id or, for a merged guest, the account into which the guest was merged.
 * @throws Refusal notFound
 */
export async function loadAdminAccount(db: Db, id: string): Promise<AdminAccount> {
  const row = await selectUser(db, id)
  if (!row) throw new Refusal('notFound')
  if (row.merged_into !== null) return loadAdminAccount(db, row.merged_into)
  const { password_hash: _, ...account } = row
  return account
}

/** Returns the id of the account with this e-mail address. */
export async function findUserIdByEmail(db: Db, email: string): Promise<string | undefined> {
  return (await selectUserByEmail(db, email))?.id
}

/**
 * Locks a user's row for the transaction.
 * @throws Refusal notFound if the user was deleted or merged into an account
 */
export async function lockAccount(tx: Tx, id: string): Promise<void> {
  const row = await lockGuestStatus(tx, id)
  if (!row || row.merged_into !== null || row.deleted_at !== null) throw new Refusal('notFound')
}

const maxSessions = 100

/** Lists a user's sessions, the latest first. */
export async function listUserSessions({ db, clock }: MembersContext, userId: string) {
  const sessions = await selectSessions(db, {
    userId,
    ...activeSessionBounds(clock.now()),
    limit: maxSessions,
  })
  return sessions.map(({ id, user_agent, created_at, last_seen_at }) => ({
    id,
    device: describeDevice(user_agent),
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
  }))
}

/**
 * Ends all sessions of a user.
 * @returns how many sessions ended
 * @throws Refusal notFound
 */
export async function signOutEverywhere({ clock }: MembersContext, tx: Tx, userId: string): Promise<number> {
  await lockAccount(tx, userId)
  const removed = await endUserSessions(tx, userId)
  await writeAuditEvent(tx, { event: 'sessions_revoked', userId, at: clock.now(), details: { removed } })
  return removed
}

/**
 * Deletes a user for an operator, with the same effect as `deleteUser`.
 * @param forfeitsBalance whether the customer forfeits the paid money in the balance
 * @throws Refusal notFound; balanceNotEmpty with the amounts, unless `forfeitsBalance`; balanceRefundPending
 */
export async function deleteUserAsOperator(
  context: MembersContext,
  tx: Tx,
  userId: string,
  forfeitsBalance: boolean,
): Promise<void> {
  const row = await lockUser(tx, userId)
  if (!row || row.merged_into !== null || row.deleted_at !== null) throw new Refusal('notFound')
  await assertErasable(context, tx, userId, forfeitsBalance)
  await eraseAccount(context, tx, userId)
  await writeAuditEvent(tx, { event: 'account_deleted', userId, at: context.clock.now() })
}
