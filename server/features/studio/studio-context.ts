import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { BillingContext } from '#server/features/billing/billing.ts'
import type { AdminMediaContext, UploadContext } from '#server/features/media/media.ts'
import type { PageContext } from '#server/features/pages/pages.ts'
import type { RefundLimits } from '#server/platform/config/read-refund-limits.ts'
import type { Copyright } from '#server/features/catalog/catalog.ts'
import type { Settings } from '#contract/studio/settings.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { RunningContext } from './system/check-parts.ts'

export interface HomepageStudioContext {
  /** The homepage's line and icon where the operator has set none. */
  copyright(): Copyright
}

/** What the commands about the icon need besides. */
export interface IconStudioContext {
  icons: { address(name: '192.png'): string }
  settings: {
    readonly icon: string | undefined
    refresh(): Promise<void>
  }
}

/** What the commands about settings need besides: what the environment says. */
export interface SettingsContext {
  environment: Pick<Config, 'operator' | 'mail' | 'limits' | 'tracking'>
  /** Which secrets are set; never what they are. */
  secretsSet: Settings['secrets']
}

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
