import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'

/** Inserts a guest. */
export async function insertUserRow(tx: Tx, id: string): Promise<void> {
  await tx
    .insertInto('users')
    .values({
      id,
      email: null,
      display_name: null,
      language: 'en',
      referral_code: newId('usr'),
      created_at: new Date(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Inserts a paid order, for tests that only need its entitlement. */
export async function insertPaidOrder(tx: Tx, userId: string, at: Date): Promise<string> {
  const id = newId('ord')
  await tx
    .insertInto('orders')
    .values({
      id,
      user_id: userId,
      kind: 'episode',
      status: 'paid',
      amount_cents: 99,
      currency: 'USD',
      gateway: 'sandbox',
      method: 'card',
      email: 'viewer@example.com',
      consent: null,
      attribution: JSON.stringify({}),
      created_at: at,
      paid_at: at,
      expires_at: at,
    })
    .execute()
  return id
}
