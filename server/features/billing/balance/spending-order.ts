import type { LotRow } from './lot-queries.ts'
import type { LotChange } from './entry-queries.ts'

/** Sums the changes of one kind of money, in cents. */
export const sumByKind = (changes: readonly LotChange[], kind: LotRow['kind']): number =>
  changes.reduce((sum, { lot, cents }) => sum + (lot.kind === kind ? cents : 0), 0)

/**
 * Distributes an amount to spend over lots: bonus before paid money, earliest expiry first, then oldest.
 * @returns undefined if the lots have less money than the amount
 */
export function planSpending<Lot extends LotRow>(
  lots: readonly Lot[],
  cents: number,
): (LotChange & { lot: Lot })[] | undefined {
  const parts = allocate(lots.toSorted(compareSpendingOrder), cents, ({ remaining_cents }) => remaining_cents)
  return parts?.map(({ lot, cents: part }) => ({ lot, cents: -part }))
}

/** Distributes a refund over lots in the given order. @throws Error if the lots paid less than the refund */
export function planRefund<Lot extends LotRow & { spent: number }>(
  lots: readonly Lot[],
  cents: number,
): (LotChange & { lot: Lot })[] {
  const parts = allocate(lots, cents, ({ spent }) => spent)
  if (!parts) throw new Error(`a refund of ${cents} cents exceeds what the balance paid`)
  return parts
}

function allocate<Lot>(lots: readonly Lot[], cents: number, capacityOf: (lot: Lot) => number) {
  const parts: { lot: Lot; cents: number }[] = []
  let remainingCents = cents
  for (const lot of lots) {
    const part = Math.min(remainingCents, capacityOf(lot))
    if (part > 0) parts.push({ lot, cents: part })
    remainingCents -= part
  }
  return remainingCents > 0 ? undefined : parts
}

const never = Infinity

function compareSpendingOrder(a: LotRow, b: LotRow): number {
  const byKind = Number(a.kind === 'paid') - Number(b.kind === 'paid')
  const ends = [a.expires_at?.getTime() ?? never, b.expires_at?.getTime() ?? never] as const
  const byEnd = ends[0] === ends[1] ? 0 : ends[0] - ends[1]
  return byKind || byEnd || a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1)
}
