import { sql } from 'kysely'
import { cardDeclineCodes } from '#contract/billing.ts'
import { openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Serializes the card payments of one network, so that concurrent payments cannot all use the last permitted attempt.
 */
export async function lockNetwork(tx: Tx, network: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`cards:${network}`}, 0))`.execute(tx)
}

/**
 * Returns the start time of a user's `max`th latest card attempt after `since`, or undefined if there are fewer.
 * Payments count if they failed or are open, because the gateway may still be charging the card. Setups without a
 * payment always count: they cost nothing, and a success reveals as much about a card as a failure.
 */
export async function selectCardAttemptOfUser(tx: Tx, userId: string, since: Date, max: number) {
  const row = await tx
    .selectFrom('orders')
    .innerJoin('payment_attempts', 'payment_attempts.order_id', 'orders.id')
    .select('payment_attempts.started_at')
    .where('orders.user_id', '=', userId)
    .where('orders.method', '=', 'card')
    .where('payment_attempts.status', 'in', [...openAttemptStatuses, 'failed'])
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

/**
 * Like `selectCardAttemptOfUser`, but for all users of a network. A failed payment counts only if the card was declined
 * (`cardDeclineCodes`).
 */
export async function selectCardAttemptOfNetwork(tx: Tx, network: string, since: Date, max: number) {
  const row = await tx
    .selectFrom('payment_attempts')
    .select('started_at')
    .where('network_hash', '=', network)
    .where('started_at', '>', since)
    .where(({ or, and, eb }) =>
      or([
        eb('status', 'in', openAttemptStatuses),
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

/** Deletes the network hash of attempts that are too old to count. */
export async function clearOldNetworks(db: Db, before: Date): Promise<void> {
  for (const table of ['payment_attempts', 'payment_method_setups'] as const) {
    const past = db.updateTable(table).set({ network_hash: null }).where('network_hash', 'is not', null)
    await past.where('started_at', '<', before).execute()
  }
}
