import { Refusal } from '#contract/errors.ts'
import { sameEmail } from '#server/platform/email-address.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import { answerInTransaction } from '#server/features/members/answer-in-transaction.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { deleteLinks } from '#server/features/members/credentials/link-queries.ts'
import type { AccountCall, MembersContext } from '#server/features/members/members-context.ts'
import {
  insertUser,
  isEmailTaken,
  lockUsers,
  selectUserByEmail,
  updateUser,
  type UserRow,
} from '#server/features/members/queries.ts'
import { forgetStranger } from '#server/features/members/credentials/passwords/reset-password.ts'
import { endSessionsOf } from '#server/features/members/sessions/sessions.ts'
import { isGuest, mergeGuest, signInAs } from '#server/features/members/sessions/sign-in-as.ts'

type JoinCall = AccountCall & Pick<Call, 'adIds'>

/** The records that a mailed secret refers to: a user's, usually a guest's, and the address it was sent to. */
interface Claim {
  userId: string
  email: string
}

export interface Claiming {
  /** Finds the claim. @throws Refusal if the secret is invalid or used */
  find(db: Db): Promise<Claim>
  /** Whether an account holds something that the secret alone must not open. */
  isGuarded(tx: Tx, accountId: string): Promise<boolean>
  /**
   * Makes the secret worth nothing, with every other about the same records.
   * @returns whose records are joined: those of the person, or of a new guest who was given a part of them
   */
  spend(tx: Tx, userId: string): Promise<string>
}

/**
 * Takes a guest's records into the account of an address that a mailed secret was sent to, and signs the caller in to it.
 * Where there is no account the guest becomes a member with the address; one whose address was never proven may be a
 * stranger's, so that it loses its password and sessions. One that was proven or is guarded is opened by its own
 * ways in alone, its second factor among them: the caller has to be signed in to it. Used by many at once, it happens once.
 * @returns who the caller is now
 * @throws Refusal linkSpent if the records are another's already, signInFirst where the account was proven or is guarded,
 * signedInAlready for a member of another account, movedOn
 */
export async function joinAccount(
  context: MembersContext,
  call: JoinCall,
  claiming: Claiming,
): Promise<Viewer> {
  const joining = answerInTransaction(context.db, call, (tx, held) => join(context, tx, held, claiming))
  return joining.catch((error: unknown) => {
    // The address was registered concurrently.
    throw isEmailTaken(error) ? new Refusal('movedOn') : error
  })
}

async function join(context: MembersContext, tx: Tx, call: JoinCall, claiming: Claiming): Promise<Viewer> {
  const { claim, from, account } = await lockAll(tx, call, claiming, context.clock.now())
  const member = call.viewer?.role === 'member' ? call.viewer.userId : undefined
  const mustBeHere =
    account !== undefined &&
    (account.email_verified_at !== null || (await claiming.isGuarded(tx, account.id)))
  const isHere = account !== undefined && account.id === member
  // A sign-in in the guest's own browser has already merged the records.
  const open = isGuest(from) || (account?.id === from.id && (isHere || !mustBeHere))
  if (!open) throw new Refusal('linkSpent')
  if (mustBeHere && !isHere) throw new Refusal(member === undefined ? 'signInFirst' : 'signedInAlready')
  const joined = await claiming.spend(tx, from.id)
  if (account) await prove(context, tx, account)
  else await becomeMember(context, tx, call, { ...claim, userId: joined })
  const id = account?.id ?? joined
  if (id !== joined)
    await mergeGuest(context, tx, { id: joined, language: call.language }, id, async () => {})
  const viewer = await signInAs(context, tx, call, id, async () => {})
  if (account) await auditCall(context, tx, call, 'signed_in', id, { claim: true })
  return viewer
}

/** Locks the records' owner, the account of the address and the calling guest, in one order for every caller. */
async function lockAll(tx: Tx, { viewer, language }: JoinCall, claiming: Claiming, now: Date) {
  const first = await claiming.find(tx)
  const known = await selectUserByEmail(tx, first.email)
  if (viewer?.role === 'visitor') await insertUser(tx, { id: viewer.userId, language, created_at: now })
  const ids = [first.userId, known?.id, viewer?.userId].filter((id) => id !== undefined)
  const rows = await lockUsers(tx, [...new Set(ids)])
  // Another call may have used the link before the rows were locked.
  const claim = await claiming.find(tx)
  const from = rows.find(({ id }) => id === claim.userId)
  const account = rows.find(({ id }) => id === known?.id)
  if (!from || (account && !sameEmail(account.email, claim.email))) throw new Refusal('linkSpent')
  return { claim, from, account }
}

async function prove({ clock }: MembersContext, tx: Tx, account: UserRow): Promise<void> {
  if (account.email_verified_at) return
  await forgetStranger(tx, account.id)
  await endSessionsOf(tx, account.id)
  await deleteLinks(tx, account.id)
  await updateUser(tx, account.id, { password_hash: null, email_verified_at: clock.now() })
}

async function becomeMember(
  context: MembersContext,
  tx: Tx,
  call: JoinCall,
  { userId, email }: Claim,
): Promise<void> {
  await updateUser(tx, userId, { email, email_verified_at: context.clock.now() })
  await auditCall(context, tx, call, 'registered', userId, { claim: true })
  const newcomer = { id: userId, email, userAgent: call.userAgent, adIds: call.adIds() }
  for (const runHook of context.lifecycleHooks.register) await runHook(tx, newcomer)
}
