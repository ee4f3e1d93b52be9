import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { BillingContext } from '#server/features/billing/billing.ts'
import type { DeskMediaContext, UploadContext } from '#server/features/media/media.ts'

/** What the studio works with; made once, in server/context.ts. */
export interface StudioContext extends BillingContext, Catalog, DeskMediaContext, UploadContext {
  /** Whether buyers may pay with the sandbox. */
  sandboxOffered: boolean
  /** How much of an order support may refund, in cents of its currency. */
  supportRefundCents: number
}
