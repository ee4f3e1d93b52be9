import { sql, type Insertable } from 'kysely'
import { preparedPage } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { LotRow } from './lot-queries.ts'
import type { BalanceTables } from './tables.ts'

type Entry = Insertable<BalanceTables['balance_entries']>

/** The amount by which an entry changes a lot; negative if it takes money out. */
export interface LotChange {
  lot: Pick<LotRow, 'id' | 'kind'>
  cents: number
}

/**
 * Inserts a balance entry with its lines, and updates the remaining money of each lot. With `isReversal` (a refund or
 * dispute of a top-up), also updates the reversed money of each lot.
 */
export async function insertEntry(
  tx: Tx,
  entry: Omit<Entry, 'paid_cents' | 'bonus_cents'>,
  changes: readonly LotChange[],
  isReversal = false,
): Promise<void> {
  const sum = (kind: LotRow['kind']) =>
    changes.reduce((total, { lot, cents }) => total + (lot.kind === kind ? cents : 0), 0)
  const row = { ...entry, paid_cents: sum('paid'), bonus_cents: sum('bonus') }
  await tx.insertInto('balance_entries').values(row).execute()
  for (const { lot, cents } of changes) {
    await tx.insertInto('balance_lines').values({ entry_id: entry.id, lot_id: lot.id, cents }).execute()
    await sql`UPDATE balance_lots SET remaining_cents = remaining_cents + ${cents}::int,
      reversed_cents = reversed_cents - ${isReversal ? cents : 0}::int WHERE id = ${lot.id}`.execute(tx)
  }
}

/** Selects a user's balance entries after a cursor position, newest first. */
export const selectBalanceEntries = preparedPage((db: Db, { userId, limit, isAfterPosition }) =>
  db
    .selectFrom('balance_entries')
    .innerJoin('orders', 'orders.id', 'order_id')
    .leftJoin('episodes', 'episodes.id', 'orders.episode_id')
    .select([
      'balance_entries.id',
      'balance_entries.kind',
      'balance_entries.currency',
      'balance_entries.paid_cents',
      'balance_entries.bonus_cents',
      'balance_entries.at',
      'balance_entries.order_id',
      'orders.video_id',
      'orders.episode_id',
      'episodes.number',
    ])
    .where('balance_entries.user_id', '=', userId)
    .where(isAfterPosition('balance_entries.at', 'balance_entries.id'))
    .orderBy('balance_entries.at', 'desc')
    .orderBy('balance_entries.id')
    .limit(limit),
)
