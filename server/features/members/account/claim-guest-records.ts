import { Refusal } from '#contract/errors.ts'
import { isSameEmail } from '#server/platform/email-address.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import { inTransactionWithHeaders } from '#server/features/members/in-transaction-with-headers.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { deleteMailLinks } from '#server/features/members/credentials/mail-link-queries.ts'
import type { AccountCall, MembersContext } from '#server/features/members/members-context.ts'
import {
  insertUser,
  isEmailTaken,
  lockUsers,
  selectUserByEmail,
  updateUser,
  type UserRow,
} from '#server/features/members/user-queries.ts'
import { removeUnverifiedCredentials } from '#server/features/members/credentials/passwords/reset-password.ts'
import { endUserSessions } from '#server/features/members/sessions/sessions.ts'
import { completeSignIn } from '#server/features/members/sessions/complete-sign-in.ts'
import { isGuest, mergeGuest } from '#server/features/members/sessions/merge-guest.ts'

type ClaimCall = AccountCall & Pick<Call, 'adIds'>

/** The owner of the records that a mailed secret opens (usually a guest), and the address that got the secret. */
interface ClaimedRecords {
  userId: string
  email: string
}

export interface ClaimSource {
  /**
   * Finds the records that can be claimed with the secret.
   * @throws Refusal if the secret is invalid or used
   */
  findClaim(db: Db): Promise<ClaimedRecords>
  /** Returns whether an account contains something to which the secret alone must not give access. */
  isGuarded(tx: Tx, accountId: string): Promise<boolean>
  /**
   * Invalidates this secret and all other secrets for the same records.
   * @returns the id of the user whose records are moved: `userId`, or a new guest who was given some of the records
   */
  redeem(tx: Tx, userId: string): Promise<string>
}

/**
 * Moves a guest's records to the account whose address got the mailed secret, and signs the caller in to that account.
 * If there is no such account, the guest becomes a member. An account whose address was never verified may belong to a
 * stranger, so it loses its password and sessions. If the address is verified, or `isGuarded` is true for the account,
 * the caller must already be signed in to it. Concurrent calls move the records once.
 * @returns the caller's new viewer
 * @throws Refusal linkExpired if the records already belong to another account; signInRequired if the caller must sign
 * in first; alreadySignedIn if the caller is signed in to another account; editConflict if another call registers the
 * address at the same time
 */
export async function claimGuestRecords(
  context: MembersContext,
  call: ClaimCall,
  source: ClaimSource,
): Promise<Viewer> {
  const result = inTransactionWithHeaders(context.db, call, (tx, deferredCall) =>
    claimInTransaction(context, tx, deferredCall, source),
  )
  return result.catch((error: unknown) => {
    // The address was registered concurrently.
    throw isEmailTaken(error) ? new Refusal('editConflict') : error
  })
}

async function claimInTransaction(
  context: MembersContext,
  tx: Tx,
  call: ClaimCall,
  source: ClaimSource,
): Promise<Viewer> {
  const { claim, from: owner, account } = await lockClaimParties(tx, call, source, context.clock.now())
  const member = call.viewer?.role === 'member' ? call.viewer.userId : undefined
  const mustBeSignedIn =
    account !== undefined && (account.email_verified_at !== null || (await source.isGuarded(tx, account.id)))
  const isSignedIn = account !== undefined && account.id === member
  // If the guest has signed in since the mail was sent, the account already owns the records.
  const isClaimable = isGuest(owner) || (account?.id === owner.id && (isSignedIn || !mustBeSignedIn))
  if (!isClaimable) throw new Refusal('linkExpired')
  if (mustBeSignedIn && !isSignedIn)
    throw new Refusal(member === undefined ? 'signInRequired' : 'alreadySignedIn')
  const recordsOwnerId = await source.redeem(tx, owner.id)
  if (account) await verifyAccountEmail(context, tx, account)
  else await registerGuest(context, tx, call, { ...claim, userId: recordsOwnerId })
  const id = account?.id ?? recordsOwnerId
  if (id !== recordsOwnerId)
    await mergeGuest(context, tx, { id: recordsOwnerId, language: call.language }, id, async () => {})
  const viewer = await completeSignIn(context, tx, call, id, async () => {})
  if (account) await auditCall(context, tx, call, 'signed_in', id, { claim: true })
  return viewer
}

/** Locks the owner of the records, the account with the address and the calling guest, in a fixed order. */
async function lockClaimParties(tx: Tx, { viewer, language }: ClaimCall, source: ClaimSource, now: Date) {
  const first = await source.findClaim(tx)
  const known = await selectUserByEmail(tx, first.email)
  if (viewer?.role === 'visitor') await insertUser(tx, { id: viewer.userId, language, created_at: now })
  const ids = [first.userId, known?.id, viewer?.userId].filter((id) => id !== undefined)
  const rows = await lockUsers(tx, [...new Set(ids)])
  // Another call may have used the link before the rows were locked.
  const claim = await source.findClaim(tx)
  const owner = rows.find(({ id }) => id === claim.userId)
  const account = rows.find(({ id }) => id === known?.id)
  if (!owner || (account && !isSameEmail(account.email, claim.email))) throw new Refusal('linkExpired')
  return { claim, from: owner, account }
}

async function verifyAccountEmail({ clock }: MembersContext, tx: Tx, account: UserRow): Promise<void> {
  if (account.email_verified_at) return
  await removeUnverifiedCredentials(tx, account.id)
  await endUserSessions(tx, account.id)
  await deleteMailLinks(tx, account.id)
  await updateUser(tx, account.id, { password_hash: null, email_verified_at: clock.now() })
}

async function registerGuest(
  context: MembersContext,
  tx: Tx,
  call: ClaimCall,
  { userId, email }: ClaimedRecords,
): Promise<void> {
  await updateUser(tx, userId, { email, email_verified_at: context.clock.now() })
  await auditCall(context, tx, call, 'account_created', userId, { claim: true })
  const newMember = { id: userId, email, userAgent: call.userAgent, adIds: call.adIds() }
  for (const runHook of context.lifecycleHooks.register) await runHook(tx, newMember)
}
