import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { MembersContext } from './members-context.ts'

/** Mails a member that the password is another one, with a way to get the account back. */
export async function tellPasswordChanged(
  tx: Tx,
  { publicUrl }: MembersContext,
  user: { email: string | null; language: string | null },
): Promise<void> {
  if (user.email === null) return
  const values = { link: `${publicUrl}/retrievePassword` }
  const language = user.language ?? 'en'
  await queueMail(tx, { to: user.email, template: 'passwordChanged', values, language })
}
