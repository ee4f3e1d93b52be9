import { Refusal } from '#contract/errors.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { insertUser, lockUsers, updateUser, type UserRow } from '#server/features/members/user-queries.ts'
import type { Tx } from '#server/tables.ts'

/**
 * Checks an account again after it was locked.
 * @throws Refusal if the account does not allow a sign-in
 */
export type CheckAccount = (account: UserRow) => Promise<void>

/**
 * Merges a guest's records into an account. Each feature registers a hook that merges its data, such as `mergeBilling`
 * for orders. A guest without a row gets a row that records the merge. If another tab
 * then sends a call as this guest, the server finds the merge in the row. Without the row, it would store data for a
 * guest that does not exist any more.
 */
export async function mergeGuest(
  { lifecycleHooks, clock }: MembersContext,
  tx: Tx,
  guest: { id: string; language: string },
  userId: string,
  checkAccount: CheckAccount,
): Promise<void> {
  await insertUser(tx, { ...guest, created_at: clock.now() })
  const rows = await lockUsers(tx, [guest.id, userId])
  const account = assertActiveAccount(rows.find(({ id }) => id === userId))
  await checkAccount(account)
  const guestRow = rows.find(({ id }) => id === guest.id)
  if (!guestRow || !isGuest(guestRow)) return
  // The hooks run even if the guest had no row, because features store some data without it, for example exposures to
  // experiments.
  for (const merge of lifecycleHooks.merge) await merge(tx, guest.id, userId)
  await updateUser(tx, guest.id, { ...emptyProfile, merged_into: userId })
  await updateUser(tx, userId, missingProfileFields(account, guestRow))
}

const emptyProfile = {
  display_name: null,
  time_zone: null,
  consent_marketing: null,
  consent_at: null,
  consent_version: null,
}

/** Returns the guest's profile fields that are unset in the account. */
function missingProfileFields(account: UserRow, guest: UserRow) {
  const { consent_marketing, consent_at, consent_version } = guest
  return {
    ...(account.time_zone === null ? { time_zone: guest.time_zone } : {}),
    ...(account.display_name === null ? { display_name: guest.display_name } : {}),
    ...(account.consent_at === null ? { consent_marketing, consent_at, consent_version } : {}),
  }
}

/** Returns whether a row belongs to a guest who has not been registered, merged or deleted. */
export function isGuest(row: Pick<UserRow, 'member_since' | 'merged_into' | 'deleted_at'>): boolean {
  return row.member_since === null && row.merged_into === null && row.deleted_at === null
}

/**
 * Returns the row of an active account.
 * @throws Refusal signInWrong if it was deleted or merged
 */
export function assertActiveAccount(row: UserRow | undefined): UserRow {
  if (!row || row.deleted_at !== null || row.merged_into !== null)
    throw new Refusal('signInWrong', { field: 'password' })
  return row
}
