import { dayMs } from '#server/platform/clock.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

/** Within what time the limits of auto-unlock hold: of how many there are, and of undoing one. It is no calendar day, which begins at another hour for each person. */
export const autoUnlockSpanMs = dayMs

const undoMs = 2 * 60_000

/** The reason by which the refund of an automatic unlock is known that its person took back. */
export const undoReason = 'auto_unlock_undone'

/** The earliest order that can have been taken back at a moment. */
export const undoableSince = (at: Date): Date => new Date(at.getTime() - undoMs)

/** Until when an automatic unlock can be taken back. */
export const undoUntil = ({ created_at }: Pick<OrderRow, 'created_at'>): Date =>
  new Date(created_at.getTime() + undoMs)
