import { Refusal } from '#contract/errors.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import type { AccountCall, MembersContext } from '#server/features/members/members-context.ts'
import { lockUser } from '#server/features/members/user-queries.ts'
import { assertActiveAccount, mergeGuest, type CheckAccount } from './merge-guest.ts'
import { startSession } from './sessions.ts'

/**
 * Signs the caller in as a user whose identity has been verified: merges the calling guest's records and starts a
 * session. Concurrent calls merge the records only once. If `userId` is the guest's own id, the guest becomes a member.
 * @returns the new viewer
 * @throws Refusal alreadySignedIn if the caller is signed in to another account; signInWrong if the account is deleted
 * or merged; the errors of `checkAccount`
 */
export async function completeSignIn(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  userId: string,
  checkAccount: CheckAccount,
): Promise<Viewer> {
  const { viewer } = call
  if (viewer?.role === 'member' && viewer.userId !== userId) throw new Refusal('alreadySignedIn')
  if (viewer?.role === 'visitor' && viewer.userId !== userId)
    await mergeGuest(context, tx, { id: viewer.userId, language: call.language }, userId, checkAccount)
  else await checkAccount(assertActiveAccount(await lockUser(tx, userId)))
  return startSession(context, tx, call, userId)
}
