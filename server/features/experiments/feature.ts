import type { Clock } from '#server/platform/clock.ts'
import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import type { Db } from '#server/tables.ts'
import {
  createExperiments,
  eraseExposures,
  exportExposures,
  mergeExposures,
  payThemeFor,
  pricesFor,
  withVariantPrices,
} from './experiments.ts'

interface ExperimentDependencies {
  db: Db
  clock: Clock
  catalogueChanges: ChangeFeed
  quotas: NetworkQuotas
}

type Price = Parameters<typeof withVariantPrices>[0]

/** Creates the part of the context that provides the running experiments, and a viewer's checkout theme and prices. */
export function experimentsFeature(needed: ExperimentDependencies) {
  const experiments = createExperiments(needed)
  return {
    parts: {
      experiments,
      payThemeFor: async ({ userId }: Viewer) => payThemeFor(await experiments.running(), userId),
      pricesFor: async ({ userId }: Viewer, videoId: string) => {
        const prices = pricesFor(await experiments.running(), userId, videoId)
        if (Object.keys(prices).length === 0) return undefined
        return <P extends Price>(price: P) => withVariantPrices(price, prices)
      },
    },
    lifecycleHooks: { merge: [mergeExposures], erase: [eraseExposures], export: [exportExposures] },
  }
}
