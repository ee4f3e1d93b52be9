import { cancelMails } from '#server/platform/mail/send-mails.ts'
import type { Db, Tx } from '#server/tables.ts'
import { deleteMailLinks, selectLatestLinkEmail, selectMailLinksOfUser } from './mail-link-queries.ts'
import { selectUser } from '#server/features/members/user-queries.ts'
import { selectSecondFactor } from './second-factor/second-factor-queries.ts'
import { removeSecondFactor } from './second-factor/second-factor.ts'

/**
 * Erases a user's credentials: invalidates mailed links, removes the second factor, and cancels queued mails to the
 * user. This includes mails to an address that is not verified yet.
 */
export async function eraseCredentials(tx: Tx, userId: string): Promise<void> {
  const user = await selectUser(tx, userId)
  const pendingEmail = await selectLatestLinkEmail(tx, userId, 'verify')
  for (const email of [user?.email, pendingEmail]) if (email) await cancelMails(tx, email)
  await deleteMailLinks(tx, userId)
  await removeSecondFactor(tx, userId)
}

/**
 * Exports the date on which the second factor was set up, and the addresses to which verification and reset links were
 * mailed. Contains no secrets.
 */
export async function exportCredentials(db: Db, userId: string): Promise<Record<string, unknown>> {
  const factor = await selectSecondFactor(db, userId)
  return {
    second_factor: factor?.confirmed_at ? { since: factor.confirmed_at } : null,
    mail_links: await selectMailLinksOfUser(db, userId),
  }
}
