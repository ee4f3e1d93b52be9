import { Refusal } from '#contract/errors.ts'
import { maxMessageLength, type sendMessage as sendMessageCall } from '#contract/pages.ts'
import { checkEmail, checkName } from '#server/features/members/members.ts'
import { hasCardNumber } from '#server/platform/card-number.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { RateLimits } from '#server/platform/config/config.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { countAttemptOfNetworks } from '#server/platform/database/attempt-limits.ts'
import type { Call } from '#server/platform/http/route.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Db } from '#server/tables.ts'

export interface MessageContext {
  db: Db
  clock: Clock
  secret: string
  limits: Pick<RateLimits, 'contactIp'>
  /** Returns the address to which messages are mailed. */
  inbox(): string
}

/**
 * Mails a visitor's message to the operator, with the visitor's address in Reply-To. The message is stored only in the
 * mail queue.
 * @throws Refusal nameInvalid, emailInvalid, messageInvalid or cardNumberInMessage with the field; Fault
 * tooManyRequests
 */
export async function sendMessage(
  context: MessageContext,
  call: Call<typeof sendMessageCall>,
): Promise<void> {
  const { db, clock, secret, limits, inbox } = context
  const email = call.body.email.trim()
  const message = call.body.message.trim()
  const name = checkName(call.body.name, 'name')
  checkEmail(email)
  if (message === '' || [...message].length > maxMessageLength)
    throw new Refusal('messageInvalid', { field: 'message' })
  if (hasCardNumber(message)) throw new Refusal('cardNumberInMessage', { field: 'message' })
  const counted = { secret, kind: 'contact-ip', ip: call.ip }
  await countAttemptOfNetworks(db, counted, limits.contactIp, clock.now())
  const values = { name, email, message }
  const { language } = call
  await inTransaction(db, (tx) => queueMail(tx, { to: inbox(), template: 'contact', values, language }))
}
