import type { Log } from '#server/platform/log.ts'
import type { Db } from '#server/tables.ts'
import { eraseAlerts, exportAlerts } from './alerts.ts'
import { bindSubscriptions } from './push/push-queries.ts'
import { openPushKeys } from './push/push-keys.ts'
import { mergePush } from './push/subscriptions.ts'

/** Adds the keys of notifications to the context; merges, erases and exports what alerts store of a person. */
export async function alertsFeature({ db, secret, log }: { db: Db; secret: string; log: Log }) {
  return {
    parts: { pushKeys: await openPushKeys(db, secret, log) },
    lifecycleHooks: {
      merge: [mergePush],
      signIn: [bindSubscriptions],
      erase: [eraseAlerts],
      export: [exportAlerts],
    },
  }
}
