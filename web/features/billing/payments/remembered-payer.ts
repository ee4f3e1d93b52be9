import type { User } from '#contract/members.ts'
import { saveRecord, readRecord, storage } from '#web/lib/storage.ts'
import type { BillingDetails } from './billing-details.ts'

const key = 'payer'

/** Stores the payer's details for the next payment of the same user in this browser. Another user's form never shows them. */
export function rememberPayer(details: BillingDetails): void {
  const userId = storage.get('user_id')
  if (userId) saveRecord(key, { userId, ...details })
}

/** Returns the form's initial values: the last payer's details, else the member's e-mail. */
export function rememberedPayer(): BillingDetails {
  const {
    userId,
    email = '',
    first = '',
    last = '',
  } = readRecord<BillingDetails & { userId: string }>(key) ?? {}
  if (userId !== undefined && userId === storage.get('user_id')) return { email, first, last }
  return { email: readRecord<User>('user')?.email ?? '', first: '', last: '' }
}
