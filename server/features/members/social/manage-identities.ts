import { Refusal } from '#contract/errors.ts'
import type {
  Identity,
  linkSocial as linkSocialCall,
  unlinkSocial as unlinkSocialCall,
} from '#contract/social.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import {
  lockReauthenticatedUser,
  reauthenticate,
  requireMember,
} from '#server/features/members/credentials/reauthenticate.ts'
import type { UserRow } from '#server/features/members/user-queries.ts'
import { sendSecurityMail } from '#server/features/members/credentials/security-mails.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { safeRedirect } from '#server/platform/http/safe-redirect.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { deleteIdentity, selectIdentities } from '#server/features/members/credentials/identity-queries.ts'
import { startAuthorization, errorMessage, type SocialContext } from './authorization-flow.ts'

type IdentityRow = Awaited<ReturnType<typeof selectIdentities>>[number]

/** Lists a member's linked identities in the order of linking. The list is empty for other callers. */
export async function listIdentities(
  { socialProviders }: Pick<SocialContext, 'socialProviders'>,
  db: Db,
  viewer: Viewer | null,
): Promise<Identity[]> {
  if (viewer?.role !== 'member') return []
  const names = new Map(socialProviders.map(({ id, name }) => [id, name]))
  const rows = await selectIdentities(db, viewer.userId)
  return rows.map(({ id, provider, account_name, issuer, created_at }) => ({
    id,
    provider,
    name: names.get(provider) ?? new URL(issuer).hostname,
    account_name,
    linked_at: created_at.toISOString(),
  }))
}

/**
 * Starts the linking of a provider to a member, who must reauthenticate first.
 * @returns the provider's URL for the browser
 * @throws Refusal signInRequired; passwordWrong and codeWrong with the field; notFound if the provider is not offered;
 * socialFailed if the provider cannot be reached; Fault tooManyRequests
 */
export async function linkSocial(context: SocialContext, call: Call<typeof linkSocialCall>): Promise<string> {
  const member = requireMember(call)
  const provider = context.socialProviders.find(({ id }) => id === call.body.provider)
  if (!provider) throw new Refusal('notFound')
  const reauthentication = await reauthenticate(context, member, call.body)
  await inTransaction(context.db, (tx) => lockReauthenticatedUser(context, tx, reauthentication))
  const returnTo = safeRedirect(call.body.return_to, context.publicUrl) ?? '/individual'
  try {
    return await startAuthorization(context, provider, call, returnTo)
  } catch (error) {
    context.log.warn(
      { provider: provider.id, reason: errorMessage(error) },
      'the linking of a social account could not start',
    )
    throw new Refusal('socialFailed')
  }
}

/**
 * Unlinks an identity of the member, who must reauthenticate, and sends a security mail. The account is locked, so that
 * two concurrent calls cannot remove the last two sign-in methods.
 * @returns the remaining identities
 * @throws Refusal signInRequired, passwordWrong and codeWrong with the field, notFound, lastSignInMethod; Fault
 * tooManyRequests
 */
export async function unlinkSocial(
  context: SocialContext,
  call: Call<typeof unlinkSocialCall>,
): Promise<Identity[]> {
  const member = requireMember(call)
  const reauthentication = await reauthenticate(context, member, call.body)
  return inTransaction(context.db, async (tx) => {
    const user = await lockReauthenticatedUser(context, tx, reauthentication)
    const identities = await selectIdentities(tx, user.id)
    const identity = identities.find(({ id }) => id === call.body.id)
    if (!identity) throw new Refusal('notFound')
    const remaining = identities.filter((each) => each !== identity)
    if (!canSignIn(context, user, remaining)) throw new Refusal('lastSignInMethod')
    await deleteIdentity(tx, identity.id)
    await auditCall(context, tx, call, 'identity_unlinked', user.id, { provider: identity.provider })
    await sendSecurityMail(tx, context, user, 'identityUnlinked')
    return listIdentities(context, tx, member)
  })
}

/**
 * Returns whether the member can sign in with a password and an e-mail address, or with one of these identities. An
 * identity counts only if its provider is still configured.
 */
function canSignIn(
  { socialProviders }: SocialContext,
  { email, password_hash }: UserRow,
  identities: readonly IdentityRow[],
): boolean {
  if (email !== null && password_hash !== null) return true
  return identities.some(({ provider }) => socialProviders.some(({ id }) => id === provider))
}
