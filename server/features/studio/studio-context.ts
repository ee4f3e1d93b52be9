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
  /** The homepage's copyright line and icon if the operator has set none. */
  copyright(): Copyright
}

/** Dependencies of the commands for the icon. */
export interface IconStudioContext {
  icons: { address(name: '192.png'): string }
  settings: {
    readonly icon: string | undefined
    refresh(): Promise<void>
  }
}

/** Dependencies of the commands for settings: the environment's values. */
export interface SettingsContext {
  environment: Pick<Config, 'operator' | 'mail' | 'limits' | 'tracking'>
  /** Which secrets are set, never their values. */
  secretsSet: Settings['secrets']
}

/** Dependencies of the studio; created once, in server/context.ts. */
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
  /** Whether buyers may pay with the sandbox. */
  sandboxOffered: boolean
  /** Limits of refunds by support. */
  supportRefunds: RefundLimits
}
