import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'

/** The security mails of an account, each with the page that helps a member who did not make the change. */
const helpPages = {
  passwordChanged: '/retrievePassword',
  emailChanged: '/contactUs',
  secondFactorOn: '/retrievePassword',
  secondFactorOff: '/retrievePassword',
  identityLinked: '/contactUs',
  identityUnlinked: '/retrievePassword',
} as const

/** Queues a security mail in the transaction of the change. A member without an address gets no mail. */
export async function sendSecurityMail(
  tx: Tx,
  { publicUrl }: Pick<MembersContext, 'publicUrl'>,
  user: { email: string | null; language: string | null },
  template: keyof typeof helpPages,
): Promise<void> {
  if (user.email === null) return
  const values = { link: `${publicUrl}${helpPages[template]}` }
  await queueMail(tx, { to: user.email, template, values, language: user.language ?? 'en' })
}
