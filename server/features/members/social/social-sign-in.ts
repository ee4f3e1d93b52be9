import { Refusal } from '#contract/errors.ts'
import type { SocialSignInOutcome } from '#contract/social.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { checkEmail } from '#server/features/members/credentials/check-profile.ts'
import type { AccountCall, MembersContext } from '#server/features/members/members-context.ts'
import { ensureUserRow, newGuest } from '#server/features/members/sessions/viewer.ts'
import {
  insertUser,
  lockUser,
  selectUser,
  selectUserByEmail,
  updateUser,
  type UserRow,
} from '#server/features/members/user-queries.ts'
import { runRegistrationHooks } from '#server/features/members/lifecycle-hooks.ts'
import { hasSecondFactor } from '#server/features/members/credentials/second-factor/second-factor.ts'
import { startSession } from '#server/features/members/sessions/sessions.ts'
import { normalizeEmail } from '#server/platform/email-address.ts'
import { completeSignIn } from '#server/features/members/sessions/complete-sign-in.ts'
import { isGuest } from '#server/features/members/sessions/merge-guest.ts'
import { sendSecurityMail } from '#server/features/members/credentials/security-mails.ts'
import type { AdClickIds } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { newId } from '#server/platform/ids.ts'
import { insertIdentity, selectIdentityOwner } from '#server/features/members/credentials/identity-queries.ts'
import type { SocialProfile } from './social-provider.ts'

/** A user identified by a provider. */
export interface ProviderIdentity {
  provider: string
  profile: SocialProfile
}

/**
 * Result of a social sign-in or linking: `done`, or the reason of a failure. `secondFactorFor` is the identity of a
 * member whose second factor is still required.
 */
export type SocialSignInResult =
  | 'done'
  | Exclude<SocialSignInOutcome, 'second_factor' | 'reauthenticate'>
  | { secondFactorFor: OwnedIdentity }

type OwnedIdentity = NonNullable<Awaited<ReturnType<typeof selectIdentityOwner>>>

/**
 * Signs in a user identified by a provider. If a member owns the identity, signs in that member. Otherwise, registers
 * the calling guest as a member with this identity. An e-mail address alone never gives access to an account
 * (docs/decisions/0006-social-identities-are-linked-by-their-owner.md).
 * @throws Refusal from `completeSignIn`
 */
export async function signInWithIdentity(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  providerIdentity: ProviderIdentity,
): Promise<SocialSignInResult> {
  const { provider, profile } = providerIdentity
  const owned = await selectIdentityOwner(tx, profile)
  if (owned) return signInOwner(context, tx, call, provider, owned)
  const email = usableEmail(profile.email)
  if (email !== undefined && (await selectUserByEmail(tx, email)))
    return signInOwnerOrFallback(context, tx, call, providerIdentity, 'has_account')
  const guest = await lockGuest(context, tx, call)
  const identity = newIdentity(providerIdentity, context.clock.now())
  if (!guest || !(await insertIdentity(tx, { ...identity, user_id: guest.id })))
    return signInOwnerOrFallback(context, tx, call, providerIdentity, 'expired')
  await updateUser(tx, guest.id, {
    ...(email === undefined ? {} : { email, email_verified_at: identity.created_at }),
    display_name: guest.display_name ?? usableName(profile.name),
  })
  await auditCall(context, tx, call, 'account_created', guest.id, { provider })
  const newMember = { id: guest.id, email, userAgent: call.userAgent, adIds: adIdsOf(call) }
  await runRegistrationHooks(context.lifecycleHooks, tx, newMember)
  await startSession(context, tx, call, guest.id)
  return 'done'
}

/**
 * Signs in the identity's owner if another tab or browser has just linked the identity. Otherwise returns `fallback`.
 */
async function signInOwnerOrFallback(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  { provider, profile }: ProviderIdentity,
  fallback: SocialSignInResult,
): Promise<SocialSignInResult> {
  const owned = await selectIdentityOwner(tx, profile)
  return owned ? signInOwner(context, tx, call, provider, owned) : fallback
}

async function signInOwner(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  provider: string,
  owned: OwnedIdentity,
): Promise<SocialSignInResult> {
  const { user_id: owner } = owned
  if (await hasSecondFactor(tx, owner)) return { secondFactorFor: owned }
  await completeSignIn(context, tx, call, owner, async () => {})
  await auditCall(context, tx, call, 'signed_in', owner, { provider })
  return 'done'
}

/** Locks the caller's guest. Returns undefined if the guest has been registered, merged or deleted. */
async function lockGuest(
  { clock }: Pick<MembersContext, 'clock'>,
  tx: Tx,
  { viewer, language }: AccountCall,
): Promise<UserRow | undefined> {
  const { userId: id } = viewer ?? newGuest()
  await insertUser(tx, { id, language, created_at: clock.now() })
  const row = await lockUser(tx, id)
  return row && isGuest(row) ? row : undefined
}

/**
 * Returns the ad ids of a new member. A provider's redirect sends none, so only the referrer token in the guest's
 * cookie is available.
 */
function adIdsOf({ viewer }: AccountCall): AdClickIds {
  return {
    firstReferrerToken: viewer?.firstReferrerToken,
    referrerToken: undefined,
    fbclid: undefined,
    ttclid: undefined,
  }
}

function newIdentity({ provider, profile }: ProviderIdentity, created_at: Date) {
  const { issuer, subject, email, name } = profile
  return {
    id: newId('idn'),
    issuer,
    subject,
    provider,
    account_name: usableEmail(email) ?? usableName(name),
    created_at,
  }
}

/**
 * Links an identity to the reauthenticated member and sends a security mail. A member may have several identities at
 * one provider. An identity that belongs to another account is not linked (`already_linked`).
 * @throws Refusal signInRequired if the account is deleted
 */
export async function linkIdentity(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  providerIdentity: ProviderIdentity,
): Promise<SocialSignInResult> {
  const { provider, profile } = providerIdentity
  const userId = await ensureUserRow(context, tx, call)
  const identity = newIdentity(providerIdentity, context.clock.now())
  if (await insertIdentity(tx, { ...identity, user_id: userId })) {
    await auditCall(context, tx, call, 'identity_linked', userId, { provider })
    const user = await selectUser(tx, userId)
    if (user) await sendSecurityMail(tx, context, user, 'identityLinked')
    return 'done'
  }
  return (await selectIdentityOwner(tx, profile))?.user_id === userId ? 'done' : 'already_linked'
}

function usableEmail(email: string | undefined): string | undefined {
  if (email === undefined || email.includes('\0') || !email.isWellFormed()) return undefined
  try {
    checkEmail(email)
    return normalizeEmail(email)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/**
 * Cleans the name that a provider reports for a user, and shortens it to 64 characters. Returns null if no character
 * remains.
 */
function usableName(name = ''): string | null {
  const clean = name.toWellFormed().replaceAll('\0', '').trim()
  return [...clean].slice(0, 64).join('').trim() || null
}
