import type { Db, Tx } from '#server/tables.ts'
import type { LinkPurpose } from './credential-tables.ts'
import { deleteMailLinks, insertMailLink, selectMailLink } from './mail-link-queries.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { lockUser, type UserRow } from '#server/features/members/user-queries.ts'
import { hashSecret, newSecret } from '#server/platform/link-secrets.ts'

/** A reset link is valid for 10 minutes, a verification link for a day. */
const lifetimeMs: Record<LinkPurpose, number> = { reset: 10 * 60_000, verify: 24 * 3_600_000 }
/** The pages that links open. The secret is in the fragment, so it is neither sent to a server nor logged. */
const pages: Record<LinkPurpose, string> = { reset: '/retrievePassword', verify: '/individual' }

export interface MailLink {
  url: string
  expiresAt: Date
}

/** Creates a link to be mailed to `email`, and invalidates the user's earlier links for the same purpose. */
export async function createMailLink(
  tx: Tx,
  { clock, publicUrl }: Pick<MembersContext, 'clock' | 'publicUrl'>,
  { purpose, userId, email }: { purpose: LinkPurpose; userId: string; email: string },
): Promise<MailLink> {
  const secret = newSecret()
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + lifetimeMs[purpose])
  const link = { hash: hashSecret(secret), user_id: userId, purpose, email }
  await deleteMailLinks(tx, userId, purpose)
  await insertMailLink(tx, { ...link, expires_at: expiresAt, created_at: now })
  return { url: `${publicUrl}${pages[purpose]}#${purpose}=${secret}`, expiresAt }
}

/**
 * Finds the owner of a link's secret. Returns undefined if the link has expired, is a used reset link or never existed.
 */
export function findMailLink(db: Db, purpose: LinkPurpose, secret: string, now: Date) {
  return selectMailLink(db, hashSecret(secret), purpose, now)
}

/**
 * Finds the owner of a link's secret and locks the owner for the rest of the transaction. Then no other call can use or
 * replace the owner's links.
 * @returns undefined if `findMailLink` finds no owner, or the account is deleted
 */
export async function lockMailLinkOwner(
  tx: Tx,
  purpose: LinkPurpose,
  secret: string,
  now: Date,
): Promise<{ user: UserRow; email: string } | undefined> {
  const link = await findMailLink(tx, purpose, secret, now)
  const user = link && (await lockUser(tx, link.user_id))
  // Another call may have deleted the link before the user was locked.
  if (!user || user.deleted_at || !(await findMailLink(tx, purpose, secret, now))) return undefined
  return { user, email: link.email }
}
