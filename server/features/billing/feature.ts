import type { LockedEpisode } from '#contract/billing.ts'
import type { Language } from '#contract/languages.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from './billing-context.ts'
import { offerFor } from './checkout/paywall-offer.ts'
import { createGateways, type ConfiguredGateways } from './gateways/create-gateways.ts'
import { eraseBilling } from './personal-data/erase-billing.ts'
import { exportBilling } from './personal-data/export-billing.ts'
import { deleteOrderClickIds } from './personal-data/delete-click-ids.ts'
import { mergeBilling } from './personal-data/merge-billing.ts'
import { hasOrdersOrEntitlements } from './personal-data/personal-data-queries.ts'
import { checkErasureAllowed } from './personal-data/check-erasure-allowed.ts'
import { loadMembership } from './subscriptions/membership.ts'
import { seedPlans } from './subscriptions/seed-plans.ts'

interface BillingDependencies {
  config: Config
  db: Db
  clock: Clock
  log: Log
}

interface BillingOverrides {
  gateways?: ConfiguredGateways
  localUrl?: () => string | undefined
}

/** Seeds a new database with plans. Creates billing's parts of the context and its account lifecycle hooks. */
export async function billingFeature(
  { config, db, clock, log }: BillingDependencies,
  context: () => BillingContext,
  overrides: BillingOverrides,
) {
  await seedPlans(db)
  const localUrl = overrides.localUrl ?? (() => `http://127.0.0.1:${config.port}`)
  const gatewaySetup = overrides.gateways ?? (await createGateways({ config, db, clock, log, localUrl }))
  return {
    parts: {
      ...gatewaySetup,
      isBalanceEnabled: config.balance,
      membershipOf: (database: Db, viewer: Viewer, language: Language) =>
        loadMembership(context(), database, viewer, language),
      offerFor: (database: Db, viewer: Viewer | null, episode: LockedEpisode, language: Language) =>
        offerFor(context(), database, viewer, episode, language),
      deleteOrderClickIds,
    },
    lifecycleHooks: {
      merge: [(tx: Tx, guest: string, member: string) => mergeBilling(tx, guest, member, clock.now())],
      assertErasable: [checkErasureAllowed],
      erase: [eraseBilling],
      lastActive: [
        async (tx: Tx, userId: string) =>
          (await hasOrdersOrEntitlements(tx, userId)) ? clock.now() : undefined,
      ],
      export: [exportBilling],
    },
  }
}
