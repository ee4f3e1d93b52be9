import { registerWorker } from '#web/lib/register-worker.ts'
import { waitUntilInactive } from './wait-until-inactive.ts'

/**
 * Registers the service worker, which caches this release, if the browser supports it. The first registration waits
 * until the page is inactive, because a release has about two hundred files. Later, the browser checks for a new
 * release each time it loads a document. The worker of a new release waits until no page of the old release is open;
 * then a new page tells it to take over.
 */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  if (!navigator.serviceWorker.controller) await waitUntilInactive()
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

/** Sends the worker the path of the document's first script, which identifies the release. */
function announceRelease(worker: ServiceWorker): void {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no other origin
  if (script) worker.postMessage(new URL(script.src).pathname)
}
