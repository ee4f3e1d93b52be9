import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { BillingContext } from '#server/features/billing/billing.ts'
import type { AdminMediaContext, UploadContext } from '#server/features/media/media.ts'
import type { PageContext } from '#server/features/pages/pages.ts'
import type { RefundLimits } from '#server/platform/read-refund-limits.ts'
import type { HomepageStudioContext } from './homepage/homepage.ts'
import type { IconStudioContext } from './icon.ts'
import type { RunningContext } from './system/system.ts'
import type { SettingsContext } from './settings/settings.ts'

/** What the studio works with; made once, in server/context.ts. */
export interface StudioContext
  extends
    BillingContext,
    Catalog,
    AdminMediaContext,
    UploadContext,
    RunningContext,
    SettingsContext,
    HomepageStudioContext,
    PageContext,
    IconStudioContext {
  /** Whether buyers may pay with the sandbox. */
  sandboxOffered: boolean
  /** How much support may refund. */
  supportRefunds: RefundLimits
}
