import { sql } from 'kysely'
import { cardRefusals } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'

/** The gateway may be trying a card for them at this moment. */
const underWay = ['started', 'requires_action'] as const

/** Has the cards of one network begin one after the other, so that no two share its last turn. */
export async function lockNetwork(tx: Tx, network: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`cards:${network}`}, 0))`.execute(tx)
}

/**
 * When the last but `max` of a person's cards since then was tried that failed, is under way, or was to be kept without a
 * payment: of these every one counts, since they cost nothing and a yes says as much as a no.
 */
export async function selectFailureOfPerson(tx: Tx, userId: string, since: Date, max: number) {
  const row = await tx
    .selectFrom('orders')
    .innerJoin('attempts', 'attempts.order_id', 'orders.id')
    .select('attempts.started_at')
    .where('orders.user_id', '=', userId)
    .where('orders.method', '=', 'card')
    .where('attempts.status', 'in', [...underWay, 'failed'])
    .where('attempts.started_at', '>', since)
    .unionAll(
      tx
        .selectFrom('method_changes')
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

/** The same of the cards that were tried from a network, whosever they were. */
export async function selectFailureOfNetwork(tx: Tx, network: string, since: Date, max: number) {
  const row = await tx
    .selectFrom('attempts')
    .select('started_at')
    .where('network', '=', network)
    .where('started_at', '>', since)
    .where(({ or, and, eb }) =>
      or([
        eb('status', 'in', underWay),
        and([eb('status', '=', 'failed'), eb('decline_code', 'in', cardRefusals)]),
      ]),
    )
    .unionAll(
      tx
        .selectFrom('method_changes')
        .select('started_at')
        .where('network', '=', network)
        .where('started_at', '>', since),
    )
    .orderBy('started_at', 'desc')
    .offset(max - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.started_at
}

/** Forgets from where cards were tried whose failures count no more. */
export async function forgetNetworks(db: Db, before: Date): Promise<void> {
  for (const table of ['attempts', 'method_changes'] as const) {
    const past = db.updateTable(table).set({ network: null }).where('network', 'is not', null)
    await past.where('started_at', '<', before).execute()
  }
}
