import { registerWorker } from '#web/lib/register-worker.ts'
import { untilCalm } from './until-calm.ts'

/**
 * Lets the service worker keep this release. Browsers without one, or that forbid it, go without. The first time this waits for
 * a calm moment, since the release is some two hundred files; later the browser looks for a newer one with each document anyway.
 * A worker of a newer release waits until no page of the older one is open; a new page asks it to take over.
 */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  if (!navigator.serviceWorker.controller) await untilCalm()
  const registration = await registerWorker().catch(() => undefined)
  if (!registration) return
  const reportOnceInstalled = () => {
    const worker = registration.installing
    worker?.addEventListener('statechange', () => worker.state === 'installed' && announceRelease(worker))
  }
  if (registration.waiting) announceRelease(registration.waiting)
  reportOnceInstalled()
  registration.addEventListener('updatefound', reportOnceInstalled)
}

/** The document's first script says it: every release has another. */
function announceRelease(worker: ServiceWorker): void {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no other origin
  if (script) worker.postMessage(new URL(script.src).pathname)
}
