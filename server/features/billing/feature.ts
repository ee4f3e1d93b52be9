import type { LockedEpisode } from '#contract/billing.ts'
import type { Language } from '#contract/languages.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingContext } from './billing-context.ts'
import { offerFor } from './checkout/offer.ts'
import { createGateways, type GatewaySetUp } from './gateways/create-gateways.ts'
import { eraseBilling } from './personal-data/erase-billing.ts'
import { exportBilling } from './personal-data/export-billing.ts'
import { forgetClicksOfOrders } from './personal-data/forget-clicks.ts'
import { mergeBilling } from './personal-data/merge-billing.ts'
import { hasBought } from './personal-data/personal-data-queries.ts'
import { refuseErasure } from './personal-data/refuse-erasure.ts'
import { membershipOf } from './subscriptions/membership.ts'
import { seedPlans } from './subscriptions/seed-plans.ts'

interface Needed {
  config: Config
  db: Db
  clock: Clock
  log: Log
}

interface BillingOverrides {
  gateways?: GatewaySetUp
  ownAddress?: () => string | undefined
}

/** Seeds a new database with plans, and adds to the context the gateways and what other features need of billing. */
export async function billingFeature(
  { config, db, clock, log }: Needed,
  context: () => BillingContext,
  overrides: BillingOverrides,
) {
  await seedPlans(db)
  const ownAddress = overrides.ownAddress ?? (() => `http://127.0.0.1:${config.port}`)
  const setUp = overrides.gateways ?? (await createGateways({ config, db, clock, log, ownAddress }))
  return {
    parts: {
      ...setUp,
      balanceOn: config.balance,
      membershipOf: (database: Db, viewer: Viewer, language: Language) =>
        membershipOf(context(), database, viewer, language),
      offerFor: (database: Db, viewer: Viewer | null, episode: LockedEpisode, language: Language) =>
        offerFor(context(), database, viewer, episode, language),
      forgetClicksOfOrders,
    },
    lifecycleHooks: {
      merge: [(tx: Tx, guest: string, member: string) => mergeBilling(tx, guest, member, clock.now())],
      mayErase: [refuseErasure],
      erase: [eraseBilling],
      lastActive: [
        async (tx: Tx, userId: string) => ((await hasBought(tx, userId)) ? clock.now() : undefined),
      ],
      export: [exportBilling],
    },
  }
}
