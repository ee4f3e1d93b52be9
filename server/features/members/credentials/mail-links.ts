import type { Db, Tx } from '#server/tables.ts'
import type { LinkPurpose } from './credential-tables.ts'
import { deleteLinks, insertLink, selectLink } from './link-queries.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { lockUser, type UserRow } from '#server/features/members/queries.ts'
import { hashSecret, newSecret } from '#server/platform/config/secrets.ts'

/** A reset lasts 10 minutes (security.md, "Reset link"), a proof of an address a day. */
const lifeMs: Record<LinkPurpose, number> = { reset: 10 * 60_000, verify: 24 * 3_600_000 }
/** The page that the link opens; the secret is in the fragment, which no server or log sees (product.md, section 3). */
const pages: Record<LinkPurpose, string> = { reset: '/retrievePassword', verify: '/individual' }

export interface MailLink {
  url: string
  expiresAt: Date
}

/** Makes a link to be mailed to `email`; the user's earlier ones of its kind are worth nothing then. */
export async function makeLink(
  tx: Tx,
  { clock, publicUrl }: Pick<MembersContext, 'clock' | 'publicUrl'>,
  { purpose, userId, email }: { purpose: LinkPurpose; userId: string; email: string },
): Promise<MailLink> {
  const secret = newSecret()
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + lifeMs[purpose])
  const link = { hash: hashSecret(secret), user_id: userId, purpose, email }
  await deleteLinks(tx, userId, purpose)
  await insertLink(tx, { ...link, expires_at: expiresAt, created_at: now })
  return { url: `${publicUrl}${pages[purpose]}#${purpose}=${secret}`, expiresAt }
}

/** Finds the owner of a link's secret without using it; undefined if it was used, has expired or never existed. */
export function findLink(db: Db, purpose: LinkPurpose, secret: string, now: Date) {
  return selectLink(db, hashSecret(secret), purpose, now)
}

/**
 * Whom a link's secret is of, locked for the rest of the transaction: nobody uses or replaces a link of theirs meanwhile.
 * @returns undefined if the link is worth nothing (any more), or the account is gone
 */
export async function lockLinked(
  tx: Tx,
  purpose: LinkPurpose,
  secret: string,
  now: Date,
): Promise<{ user: UserRow; email: string } | undefined> {
  const link = await findLink(tx, purpose, secret, now)
  const user = link && (await lockUser(tx, link.user_id))
  // Another call may have used it before the user was locked.
  if (!user || user.deleted_at || !(await findLink(tx, purpose, secret, now))) return undefined
  return { user, email: link.email }
}
