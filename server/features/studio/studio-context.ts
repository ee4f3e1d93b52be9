import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { BillingContext } from '#server/features/billing/billing.ts'
import type { DeskMediaContext, UploadContext } from '#server/features/media/media.ts'
import type { PageContext } from '#server/features/pages/pages.ts'
import type { RefundLimits } from '#server/platform/read-refund-limits.ts'
import type { HomepageDeskContext } from './homepage/homepage.ts'
import type { IconDeskContext } from './icon.ts'
import type { RunningContext } from './running/running.ts'
import type { SettingsContext } from './settings/settings.ts'

/** What the studio works with; made once, in server/context.ts. */
export interface StudioContext
  extends
    BillingContext,
    Catalog,
    DeskMediaContext,
    UploadContext,
    RunningContext,
    SettingsContext,
    HomepageDeskContext,
    PageContext,
    IconDeskContext {
  /** Whether buyers may pay with the sandbox. */
  sandboxOffered: boolean
  /** How much support may refund. */
  supportRefunds: RefundLimits
}
