import type { deleteUser as deleteUserCall } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { requireViewer, type Call, type Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import {
  lockReauthenticatedUser,
  reauthenticate,
  requireMember,
} from '#server/features/members/credentials/reauthenticate.ts'
import {
  lockUser,
  newReferralCode,
  markMergedGuestsDeleted,
  updateUser,
} from '#server/features/members/user-queries.ts'
import { endUserSessions } from '#server/features/members/sessions/sessions.ts'
import { isGuest } from '#server/features/members/sessions/merge-guest.ts'
import { replaceWithNewGuest } from './sign-out.ts'

/** The emptied personal columns of a deleted user. The row remains, because the ledger refers to it. */
const emptyPersonalData = {
  email: null,
  email_verified_at: null,
  password_hash: null,
  display_name: null,
  avatar_url: null,
  language: null,
  time_zone: null,
  consent_marketing: null,
  consent_at: null,
  consent_version: null,
}

/**
 * Deletes the account of a member, who must reauthenticate, or the data of a guest. In one transaction, every feature
 * erases its data, and the user's row loses all personal data.
 * @returns a new guest
 * @throws Refusal balanceNotEmpty with the amounts, unless `forfeit_balance` is set; balanceRefundPending;
 * passwordWrong with the field, codeWrong; signInRequired without a token, or if the member must sign in again
 */
export async function deleteUser(
  context: MembersContext,
  call: Call<typeof deleteUserCall>,
): Promise<Viewer> {
  const viewer = requireViewer(call)
  const reauthentication =
    viewer.role === 'member' ? await reauthenticate(context, requireMember(call), call.body) : undefined
  await inTransaction(context.db, async (tx) => {
    if (reauthentication) await lockReauthenticatedUser(context, tx, reauthentication)
    else if (!(await lockStoredGuest(tx, viewer))) return
    await assertErasable(context, tx, viewer.userId, call.body.forfeit_balance ?? false)
    await eraseAccount(context, tx, viewer.userId)
    await auditCall(context, tx, call, 'account_deleted', viewer.userId)
  })
  return replaceWithNewGuest(context, call)
}

/**
 * Locks the guest's row.
 * @returns false if nothing is stored for the guest
 * @throws Refusal signInRequired if the guest has been registered, merged or deleted
 */
async function lockStoredGuest(tx: Tx, { userId }: Viewer): Promise<boolean> {
  const row = await lockUser(tx, userId)
  if (row && !isGuest(row)) throw new Refusal('signInRequired')
  return row !== undefined
}

/**
 * Checks in every feature whether a user may be deleted. The caller must have locked the row.
 * @throws Refusal with the reason
 */
export async function assertErasable(
  { lifecycleHooks }: MembersContext,
  tx: Tx,
  userId: string,
  forfeitsBalance: boolean,
): Promise<void> {
  for (const runHook of lifecycleHooks.assertErasable) await runHook(tx, userId, forfeitsBalance)
}

/** Deletes a user's data in every feature. The caller must have locked the row. */
export async function eraseAccount(
  { lifecycleHooks, clock }: MembersContext,
  tx: Tx,
  userId: string,
): Promise<void> {
  const now = clock.now()
  for (const runHook of lifecycleHooks.erase) await runHook(tx, userId, now)
  await endUserSessions(tx, userId)
  await markMergedGuestsDeleted(tx, userId, now)
  await updateUser(tx, userId, { ...emptyPersonalData, referral_code: newReferralCode(), deleted_at: now })
}
