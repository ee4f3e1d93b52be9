import { eraseAlerts, exportAlerts } from './alerts.ts'
import { bindSubscriptions } from './push/push-queries.ts'
import { derivePushKeys } from './push/push-keys.ts'
import { mergePush } from './push/subscriptions.ts'

/** Adds the keys of notifications to the context; merges, erases and exports what alerts store of a person. */
export function alertsFeature({ secret }: { secret: string }) {
  return {
    parts: { pushKeys: derivePushKeys(secret) },
    lifecycleHooks: {
      merge: [mergePush],
      signIn: [bindSubscriptions],
      erase: [eraseAlerts],
      export: [exportAlerts],
    },
  }
}
