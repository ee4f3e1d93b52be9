import { sql } from 'kysely'
import { cardDeclineCodes } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'

/** The gateway may be charging a card for them at this moment. */
const inProgressStatuses = ['started', 'requires_action'] as const

/** Serializes the card payments of one network, so that no two use up its last attempt. */
export async function lockNetwork(tx: Tx, network: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`cards:${network}`}, 0))`.execute(tx)
}

/**
 * Returns when the `max`th latest of a user's counted cards since then was tried. Counted are cards that failed, are in
 * progress, or were saved without a payment: all of the latter, because they cost nothing and a success reveals as much as a
 * failure.
 */
export async function selectCardAttemptOfUser(tx: Tx, userId: string, since: Date, max: number) {
  const row = await tx
    .selectFrom('orders')
    .innerJoin('payment_attempts', 'payment_attempts.order_id', 'orders.id')
    .select('payment_attempts.started_at')
    .where('orders.user_id', '=', userId)
    .where('orders.method', '=', 'card')
    .where('payment_attempts.status', 'in', [...inProgressStatuses, 'failed'])
    .where('payment_attempts.started_at', '>', since)
    .unionAll(
      tx
        .selectFrom('payment_method_setups')
        .select('started_at')
        .where('user_id', '=', userId)
        .where('method', '=', 'card')
        .where('started_at', '>', since),
    )
    .orderBy('started_at', 'desc')
    .offset(max - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.started_at
}

/** Does the same for the cards from a network, whichever users tried them. */
export async function selectCardAttemptOfNetwork(tx: Tx, network: string, since: Date, max: number) {
  const row = await tx
    .selectFrom('payment_attempts')
    .select('started_at')
    .where('network_hash', '=', network)
    .where('started_at', '>', since)
    .where(({ or, and, eb }) =>
      or([
        eb('status', 'in', inProgressStatuses),
        and([eb('status', '=', 'failed'), eb('decline_code', 'in', cardDeclineCodes)]),
      ]),
    )
    .unionAll(
      tx
        .selectFrom('payment_method_setups')
        .select('started_at')
        .where('network_hash', '=', network)
        .where('started_at', '>', since),
    )
    .orderBy('started_at', 'desc')
    .offset(max - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.started_at
}

/** Deletes the network of attempts whose failures no longer count. */
export async function clearOldNetworks(db: Db, before: Date): Promise<void> {
  for (const table of ['payment_attempts', 'payment_method_setups'] as const) {
    const past = db.updateTable(table).set({ network_hash: null }).where('network_hash', 'is not', null)
    await past.where('started_at', '<', before).execute()
  }
}
