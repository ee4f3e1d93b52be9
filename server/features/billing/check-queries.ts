import type { Tx } from '#server/tables.ts'

/** When something is looked at next, after that many looks; null for never again. */
export type NextCheck = (checks: number) => Date | null

/**
 * Counts a look at each of these rows, which the transaction has locked, and sets when the next one is, so that two
 * processes do not do the same work.
 */
export async function planChecks(
  tx: Tx,
  table: 'attempts' | 'refunds' | 'payment_methods' | 'payers_to_forget',
  due: readonly { id: string; checks: number }[],
  next: NextCheck,
): Promise<void> {
  for (const { id, checks } of due) {
    await tx
      .updateTable(table)
      .set({ checks: checks + 1, check_at: next(checks + 1) })
      .where('id', '=', id)
      .execute()
  }
}
