import { dayMs } from '#server/platform/clock.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * The rolling window of both auto-unlock limits: the number of unlocks, and one undo per drama. The limits do not use
 * calendar days, because these begin at a different time in each time zone.
 */
export const autoUnlockWindowMs = dayMs

const undoWindowMs = 2 * 60_000

/** The refund reason of an automatic unlock that the user undid. */
export const undoReason = 'auto_unlock_undone'

/** Returns the earliest creation time of an order that can still be undone at the given time. */
export const undoableSince = (at: Date): Date => new Date(at.getTime() - undoWindowMs)

/** Returns the deadline for undoing an automatic unlock. */
export const undoDeadlineOf = ({ created_at }: Pick<OrderRow, 'created_at'>): Date =>
  new Date(created_at.getTime() + undoWindowMs)
