import type { AlertsContext } from '#server/features/alerts/alerts.ts'
import { alertsFeature } from './features/alerts/feature.ts'
import { billingFeature } from './features/billing/feature.ts'
import type { ConfiguredGateways } from './features/billing/gateways/create-gateways.ts'
import { catalogFeature } from './features/catalog/feature.ts'
import type { CatalogRoutesContext } from '#server/features/catalog/routes.ts'
import { experimentsFeature } from './features/experiments/feature.ts'
import { libraryFeature } from './features/library/feature.ts'
import type { LibraryRoutesContext } from '#server/features/library/routes.ts'
import { mediaFeature } from './features/media/feature.ts'
import { membersFeature } from './features/members/feature.ts'
import type { LifecycleHooks } from './features/members/lifecycle-hooks.ts'
import type { MembersRoutesContext } from '#server/features/members/routes.ts'
import type { SocialContext } from '#server/features/members/social/routes.ts'
import type { SocialProvider } from '#server/features/members/social/social-provider.ts'
import { pagesFeature } from './features/pages/feature.ts'
import type { PagesContext } from '#server/features/pages/routes.ts'
import type { MessageContext } from '#server/features/pages/send-message.ts'
import { studioFeature } from './features/studio/feature.ts'
import type { StudioContext } from '#server/features/studio/studio.ts'
import { trackingFeature } from './features/tracking/feature.ts'
import type { TrackingRoutesContext } from '#server/features/tracking/routes.ts'
import type { WriteEventsContext } from '#server/features/tracking/tracking.ts'
import { composeFeatures } from './compose-features.ts'
import { openPlatform, type Platform, type PlatformOverrides } from './open-platform.ts'
import type { Config } from './platform/config/config.ts'
import type { Log } from '#server/platform/log.ts'

type FeatureContexts = AlertsContext &
  CatalogRoutesContext &
  LibraryRoutesContext &
  MembersRoutesContext &
  SocialContext &
  TrackingRoutesContext &
  WriteEventsContext &
  PagesContext &
  MessageContext &
  StudioContext &
  ConfiguredGateways

/** The context of a process, built once. Each feature's context is part of it. */
export type Context = FeatureContexts & Omit<Platform, 'stopPlatform'> & { close(): Promise<void> }

/** Parts that a test may replace. */
export interface Overrides extends PlatformOverrides {
  gateways?: ConfiguredGateways
  socialProviders?: readonly SocialProvider[]
  lifecycleHooks?: Partial<LifecycleHooks>
  /** The URL at which the process can reach itself; derived from the settings by default. */
  localUrl?: () => string | undefined
}

/**
 * Builds the context of a process: the only place where features are joined. Opens the database unless it is given, and
 * creates the plans and homepage of a new database.
 * @throws ConfigError if the database cannot be used; it names the setting
 */
export async function createContext(config: Config, log: Log, overrides: Overrides = {}): Promise<Context> {
  const { stopPlatform, ...platform } = await openPlatform(config, log, overrides)
  // A feature may call later features of this list. It reads the context at call time, when all features exist.
  const getContext = () => context
  const { parts, lifecycleHooks, stop } = await composeFeatures(platform)
    .with(catalogFeature)
    .with(experimentsFeature)
    .with((before) => membersFeature(before, overrides))
    .with((before) => trackingFeature(before, getContext))
    .with(libraryFeature)
    .with(alertsFeature)
    .with((before) => mediaFeature(before, getContext))
    .with((before) => billingFeature(before, getContext, overrides))
    .with(pagesFeature)
    .with(studioFeature)
    .build()
  const context: Context = {
    ...parts,
    lifecycleHooks: { ...lifecycleHooks, ...overrides.lifecycleHooks },
    async close() {
      await stopPlatform()
      await stop()
      await platform.database.close()
    },
  }
  return context
}
