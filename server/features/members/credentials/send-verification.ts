import { attemptKey, countAttempt } from '#server/platform/database/attempt-limits.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import { createMailLink } from './mail-links.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'

/** Mails a link to an address. When the link is opened, the address is verified and becomes the user's. */
export async function sendVerification(
  tx: Tx,
  context: MembersContext,
  user: { id: string; language: string | null },
  email: string,
): Promise<void> {
  const { url, expiresAt } = await createMailLink(tx, context, { purpose: 'verify', userId: user.id, email })
  const language = user.language ?? 'en'
  await queueMail(tx, { to: email, template: 'verifyEmail', values: { link: url }, language, expiresAt })
}

/**
 * Limits a member's verification mails, at the same rate as password resets.
 * @throws Fault tooManyRequests
 */
export async function limitVerifications(
  { db, clock, secret, limits, quotas }: MembersContext,
  userId: string,
  ip: string,
): Promise<void> {
  quotas.spendOrThrow('mailLinks', ip)
  return countAttempt(db, attemptKey(secret, 'verify', userId), limits.mailLinksAccount, clock.now())
}
