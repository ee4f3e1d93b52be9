/// <reference lib="webworker" />
import type { PushAlerts, PushSubscription as PushKeys, startPushAlerts } from '#contract/alerts.ts'
import { hashEndpoint, withPushLock } from '#web/features/alerts/push/browser-subscription.ts'

declare const self: ServiceWorkerGlobalScope
// Written out, because the contract would add its schemas to this script.
const path: (typeof startPushAlerts)['path'] = '/api/user/alerts/push'

/**
 * Registers a new subscription after the push service has replaced or ended this browser's old subscription. If the
 * site does not list the old subscription for the viewer, it belonged to another user or an ended session. The new
 * subscription is then ended instead. Some browsers do not report the old subscription. Then it is enough that the site
 * lists any browser of the viewer.
 * @throws Error if there is no push service, or if the site does not respond
 */
export function renewPush({ oldSubscription, newSubscription }: PushSubscriptionChangeEvent): Promise<void> {
  return withPushLock(async () => {
    const { public_key, browsers } = await callSite()
    const isListed = oldSubscription
      ? browsers.includes(await hashEndpoint(oldSubscription.endpoint))
      : browsers.length > 0
    if (!isListed) return void (await newSubscription?.unsubscribe())
    const subscription =
      newSubscription ??
      (await self.registration.pushManager.subscribe({
        userVisibleOnly: true,
        applicationServerKey: public_key,
      }))
    const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {}
    await callSite({ endpoint: subscription.endpoint, p256dh, auth })
  })
}

/** Returns the viewer's subscribed browsers; with `subscription`, registers it first. */
async function callSite(subscription?: PushKeys): Promise<PushAlerts> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(
    path,
    subscription && { method: 'POST', headers, body: JSON.stringify(subscription) },
  )
  const { code, info } = (await response.json()) as { code: number; info?: PushAlerts }
  if (code !== 200 || !info) throw new Error(`${path} returned ${code}`)
  return info
}
