import { Fault, Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { attemptKey, countAttempt } from '#server/platform/database/attempt-limits.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { selectUserByEmail } from '#server/features/members/user-queries.ts'

/** The owner of an address gets at most one mail a day, however often somebody tries to use the address. */
const limit = { max: 1, seconds: 86_400 }

/** Mails the owner of an address about an attempt to use it for another account. */
export async function sendEmailTakenMail(context: MembersContext, email: string): Promise<void> {
  const { db, clock, secret, publicUrl } = context
  const owner = await selectUserByEmail(db, email)
  if (!owner?.email) return
  const { email: to, language } = owner
  try {
    await countAttempt(db, attemptKey(secret, 'owner', owner.id), limit, clock.now())
  } catch (error) {
    if (error instanceof Fault) return
    throw error
  }
  const mail = { to, language: language ?? 'en', values: { link: `${publicUrl}/login` } }
  await inTransaction(db, (tx) => queueMail(tx, { ...mail, template: 'addressInUse' }))
}

/** Mails the owner of the address if the error is the refusal `emailTaken`. Rethrows the error. */
export async function mailIfEmailTaken(
  context: MembersContext,
  email: string,
  error: unknown,
): Promise<never> {
  if (error instanceof Refusal && error.reason === 'emailTaken') await sendEmailTakenMail(context, email)
  throw error
}
