import { queryOptions } from '@tanstack/react-query'
import { getPushAlerts, startPushAlerts, stopPushAlerts } from '#contract/alerts.ts'
import { call } from '#web/lib/api.ts'
import { registerWorker } from '#web/lib/register-worker.ts'
import { shouldSaveData } from '#web/player/engine/bandwidth.ts'
import { hashEndpoint, withPushLock } from './browser-subscription.ts'

/** `blocked` means that the user denied permission, so that the site can no longer ask for it. */
export type PushState = 'on' | 'off' | 'blocked'

/**
 * Maximum wait for the service worker. Its first installation downloads a whole release while a video may be playing.
 */
const workerTimeoutMs = 60_000

/**
 * Returns whether this browser can show notifications of the site. iOS supports them only for a site on the home
 * screen. In-app browsers do not support them. With data saving on, the service worker is not installed.
 */
export function supportsPush(): boolean {
  const hasBrowserSupport =
    'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  return (
    import.meta.env.PROD &&
    hasBrowserSupport &&
    (navigator.serviceWorker.controller !== null || !shouldSaveData())
  )
}

/** The state of notifications of new episodes in this browser. */
export const pushQuery = queryOptions({
  queryKey: ['alerts', 'push'],
  queryFn: ({ signal }): Promise<PushState> => {
    if (Notification.permission === 'denied') return Promise.resolve('blocked')
    return withPushLock(async () => {
      const { browsers } = await call(getPushAlerts, { signal })
      const subscription = await findSubscription()
      if (!subscription) return 'off'
      if (browsers.includes(await hashEndpoint(subscription.endpoint))) return 'on'
      // The subscription belongs to another user or an ended session, so the viewer could not turn it off. End it.
      await subscription.unsubscribe()
      return 'off'
    })
  },
})

/**
 * Shows the browser's permission prompt. Must be called by the handler of a press.
 * @returns `on` if the user allows notifications
 */
export async function requestPushPermission(): Promise<PushState> {
  const permission = await Notification.requestPermission()
  if (permission === 'granted') return 'on'
  return permission === 'denied' ? 'blocked' : 'off'
}

/**
 * Subscribes this browser for the viewer.
 * @throws Error if there is no service worker or push service, or if the site does not respond
 */
export const subscribe = (): Promise<void> => withPushLock(subscribeLocked)

async function subscribeLocked(): Promise<void> {
  const [worker, { public_key }] = await Promise.all([activeWorker(), call(getPushAlerts)])
  // An existing subscription may have another key, or belong to another user, who must get no more pushes in this
  // browser.
  await (await worker.pushManager.getSubscription())?.unsubscribe()
  const subscription = await worker.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: public_key,
  })
  const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {}
  await call(startPushAlerts, { body: { endpoint: subscription.endpoint, p256dh, auth } }).catch(
    async (error: unknown) => {
      await subscription.unsubscribe()
      throw error
    },
  )
}

/**
 * Ends this browser's subscription, even if it belongs to another user. If the request to the site fails, the push
 * service reports the end to the site at the next push.
 */
export const unsubscribe = (): Promise<void> => withPushLock(unsubscribeLocked)

async function unsubscribeLocked(): Promise<void> {
  const subscription = await findSubscription()
  if (!subscription) return
  await subscription.unsubscribe()
  await call(stopPushAlerts, { body: { endpoint: subscription.endpoint } })
}

async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker?.getRegistration()
  return (await registration?.pushManager?.getSubscription()) ?? null
}

async function activeWorker(): Promise<ServiceWorkerRegistration> {
  await registerWorker()
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the service worker was not ready in time')), workerTimeoutMs)
  })
  return Promise.race([navigator.serviceWorker.ready, timeout])
}
