import { cancelMails } from '#server/platform/mail/send-mails.ts'
import type { Db, Tx } from '#server/tables.ts'
import { deleteLinks, selectLinkedEmail, selectLinksOf } from './link-queries.ts'
import { selectUser } from '#server/features/members/queries.ts'
import { selectFactor } from './second-factor/second-factor-queries.ts'
import { removeSecondFactor } from './second-factor/second-factor.ts'

/**
 * Erases a user's credentials: invalidates their links, removes the second factor, and cancels mails to them, including those to an
 * address that is not verified yet.
 */
export async function eraseCredentials(tx: Tx, userId: string): Promise<void> {
  const user = await selectUser(tx, userId)
  const wished = await selectLinkedEmail(tx, userId, 'verify')
  for (const email of [user?.email, wished]) if (email) await cancelMails(tx, email)
  await deleteLinks(tx, userId)
  await removeSecondFactor(tx, userId)
}

/** Exports since when there is a second factor, and where links to verify an address or to set a password were sent, without secrets. */
export async function exportCredentials(db: Db, userId: string): Promise<Record<string, unknown>> {
  const factor = await selectFactor(db, userId)
  return {
    second_factor: factor?.confirmed_at ? { since: factor.confirmed_at } : null,
    mail_links: await selectLinksOf(db, userId),
  }
}
