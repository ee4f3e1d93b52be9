import { eraseAlerts, exportAlerts } from './alerts.ts'
import { bindSubscriptions } from './push/push-queries.ts'
import { derivePushKeys } from './push/vapid-keys.ts'
import { mergePushSubscriptions } from './push/push-subscriptions.ts'

/** Adds the keys for push notifications to the context, and the lifecycle hooks of a user's alert records. */
export function alertsFeature({ secret }: { secret: string }) {
  return {
    parts: { pushKeys: derivePushKeys(secret) },
    lifecycleHooks: {
      merge: [mergePushSubscriptions],
      signIn: [bindSubscriptions],
      erase: [eraseAlerts],
      export: [exportAlerts],
    },
  }
}
