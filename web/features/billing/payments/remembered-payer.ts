import type { User } from '#contract/members.ts'
import { saveRecord, readRecord, storage } from '#web/lib/storage.ts'
import type { BillingDetails } from './billing-details.ts'

const key = 'payer'

/**
 * Stores the billing details in this browser for the next payment by the same user. They are never shown to another
 * user.
 */
export function rememberPayer(details: BillingDetails): void {
  const userId = storage.get('user_id')
  if (userId) saveRecord(key, { userId, ...details })
}

/** Returns the form's initial values: the details of the last payment, else the member's e-mail address. */
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
