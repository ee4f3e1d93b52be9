import { dayMs } from '#server/platform/clock.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

/** Within what time the limit of auto-unlock holds. It is no calendar day, which begins at another hour for each person. */
export const autoUnlockSpanMs = dayMs

const undoMs = 2 * 60_000

/** Until when an automatic unlock can be taken back. */
export const undoUntil = ({ created_at }: Pick<OrderRow, 'created_at'>): Date =>
  new Date(created_at.getTime() + undoMs)
