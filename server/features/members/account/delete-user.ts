import type { deleteUser as deleteUserCall } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { requireViewer, type Call, type Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import {
  lockReauthenticated,
  reauthenticate,
  requireMember,
} from '#server/features/members/credentials/reauthenticate.ts'
import { lockUser, newReferralCode, retireMerged, updateUser } from '#server/features/members/queries.ts'
import { endSessionsOf } from '#server/features/members/sessions/sessions.ts'
import { isGuest } from '#server/features/members/sessions/sign-in-as.ts'
import { giveFreshGuest } from './sign-out.ts'

/** Empties all personal columns; the row stays because the ledger refers to it. */
const nobody = {
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
 * Deletes the account of a member who has reauthenticated, or the data of a guest: every feature erases its part in one transaction,
 * and the row has no personal data any more.
 * @returns a new guest
 * @throws Refusal balanceLeft with the amounts, unless confirmed; balanceRefundOpen; passwordWrong with the field, codeWrong,
 * signInFirst without a token or a recent enough proof
 */
export async function deleteUser(
  context: MembersContext,
  call: Call<typeof deleteUserCall>,
): Promise<Viewer> {
  const viewer = requireViewer(call)
  const proof =
    viewer.role === 'member' ? await reauthenticate(context, requireMember(call), call.body) : undefined
  await inTransaction(context.db, async (tx) => {
    if (proof) await lockReauthenticated(context, tx, proof)
    else if (!(await lockKeptGuest(tx, viewer))) return
    await checkErasure(context, tx, viewer.userId, call.body.forfeit_balance ?? false)
    await eraseAccount(context, tx, viewer.userId)
    await auditCall(context, tx, call, 'deleted', viewer.userId)
  })
  return giveFreshGuest(context, call)
}

/** @returns false if nothing is stored for the guest. @throws Refusal signInFirst if it belongs to an account by now */
async function lockKeptGuest(tx: Tx, { userId }: Viewer): Promise<boolean> {
  const row = await lockUser(tx, userId)
  if (row && !isGuest(row)) throw new Refusal('signInFirst')
  return row !== undefined
}

/** Asks every feature whether a user may be deleted; the row must be locked. @throws Refusal with the reason */
export async function checkErasure(
  { lifecycleHooks }: MembersContext,
  tx: Tx,
  userId: string,
  insists: boolean,
): Promise<void> {
  for (const check of lifecycleHooks.mayErase) await check(tx, userId, insists)
}

/** Deletes a user's data in every feature. The caller has locked the row. */
export async function eraseAccount(
  { lifecycleHooks, clock }: MembersContext,
  tx: Tx,
  userId: string,
): Promise<void> {
  const now = clock.now()
  for (const eraseIn of lifecycleHooks.erase) await eraseIn(tx, userId, now)
  await endSessionsOf(tx, userId)
  await retireMerged(tx, userId, now)
  await updateUser(tx, userId, { ...nobody, referral_code: newReferralCode(), deleted_at: now })
}
