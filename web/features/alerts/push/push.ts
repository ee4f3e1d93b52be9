import { queryOptions } from '@tanstack/react-query'
import { getPushAlerts, startPushAlerts, stopPushAlerts } from '#contract/alerts.ts'
import { call } from '#web/lib/api.ts'
import { registerWorker } from '#web/lib/register-worker.ts'
import { isSparing } from '#web/player/engine/bandwidth.ts'

/** `blocked` in the browser's own settings, where no site can ask any more. */
export type PushState = 'on' | 'off' | 'blocked'

/** The first installation fetches a whole release, beside a video. */
const workerMs = 60_000

/**
 * Whether this browser could show notifications of the site. Apple's phones can once the site is on the home screen, in-app browsers
 * never; where every byte may cost the service worker is not installed.
 */
export function supportsPush(): boolean {
  const isAble = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  return import.meta.env.PROD && isAble && (navigator.serviceWorker.controller !== null || !isSparing())
}

/** Whether new episodes of the viewer's favorites are notified in this browser. */
export const pushQuery = queryOptions({
  queryKey: ['alerts', 'push'],
  queryFn: ({ signal }): Promise<PushState> => {
    if (Notification.permission === 'denied') return Promise.resolve('blocked')
    return alone(async () => {
      const { browsers } = await call(getPushAlerts, { signal })
      const subscription = await findSubscription()
      if (!subscription) return 'off'
      if (browsers.includes(await fingerprint(subscription.endpoint))) return 'on'
      // Somebody else turned it on here, or its session has ended: nobody could turn it off any more.
      await subscription.unsubscribe()
      return 'off'
    })
  },
})

/** Runs in one tab at a time, so that none ends a subscription of which the site is just being told. */
const alone = <Result>(run: () => Promise<Result>): Promise<Result> => navigator.locks.request('push', run)

/** Asks the person, as the browser does it; at their press, or browsers refuse. @returns `on` where they allow it */
export async function askToNotify(): Promise<PushState> {
  const permission = await Notification.requestPermission()
  if (permission === 'granted') return 'on'
  return permission === 'denied' ? 'blocked' : 'off'
}

/** Subscribes this browser for the viewer. @throws Error without a service worker, push service or site that answers */
export const subscribe = (): Promise<void> => alone(subscribeAlone)

async function subscribeAlone(): Promise<void> {
  const [worker, { public_key }] = await Promise.all([activeWorker(), call(getPushAlerts)])
  // One of another key or person: its endpoint ends with it.
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

/** Ends this browser's subscription, whoever's it is. Where the site does not hear of it, the push service tells it at the next push. */
export async function unsubscribe(): Promise<void> {
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
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no service worker in time')), workerMs)
  })
  return Promise.race([navigator.serviceWorker.ready, late])
}

/** As the site names a browser. */
async function fingerprint(endpoint: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(hash)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
