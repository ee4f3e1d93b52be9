import type { Catalog } from '#server/features/catalog/catalog.ts'
import type { BillingContext } from '#server/features/billing/billing.ts'
import type { AdminMediaContext, UploadContext } from '#server/features/media/media.ts'
import type { PageContext } from '#server/features/pages/pages.ts'
import type { RefundLimits } from '#server/platform/config/read-refund-limits.ts'
import type { Copyright } from '#server/features/catalog/catalog.ts'
import type { Settings } from '#contract/studio/settings.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { HealthCheckContext } from './system/health-checks.ts'

export interface HomepageStudioContext {
  /** Returns the homepage's copyright line and icon for a site whose operator has set none. */
  copyright(): Copyright
}

/** Dependencies of the commands for the site's icon. */
export interface IconStudioContext {
  icons: { address(name: '192.png'): string }
  settings: {
    readonly icon: string | undefined
    refresh(): Promise<void>
  }
}

/** Dependencies of the commands for settings. */
export interface SettingsContext {
  environment: Pick<Config, 'operator' | 'mail' | 'limits' | 'tracking'>
  /** States which secrets are set. Does not include their values. */
  secretsSet: Settings['secrets']
}

/** Dependencies of the studio. They are created once, in server/context.ts. */
export interface StudioContext
  extends
    BillingContext,
    Catalog,
    AdminMediaContext,
    UploadContext,
    HealthCheckContext,
    SettingsContext,
    HomepageStudioContext,
    PageContext,
    IconStudioContext {
  /** True if the sandbox is one of the payment gateways. */
  sandboxOffered: boolean
  /** Refund limits of operators in support. */
  supportRefunds: RefundLimits
}
