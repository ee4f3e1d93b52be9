/// <reference lib="webworker" />
import { isSparing } from '#web/player/engine/bandwidth.ts'
import { openAlert, showAlert } from './alerts.ts'
import { isScreen } from './is-screen.ts'

declare const self: ServiceWorkerGlobalScope
/** This build's files, inserted by scripts/web-build/build-web.ts: those of the shell, and large ones that few users need. */
declare const builtFiles: { entry: string; shell: string[]; onUse: string[] }

// The server inserts the release. Each release has its own cache, so that two never mix.
const cacheName = 'release __RELEASE__'
const { entry, shell, onUse } = builtFiles
const ours = new Set([...shell, ...onUse])
const shellDocument = '/offline'
/** The shell is shown if a document takes longer than this. */
const patienceMs = 4000
/** Polling interval while the worker waits for pages to close. */
const lookAgainMs = 1000
/** Number of parallel downloads, small enough not to disturb playback. */
const atOnce = 2

self.addEventListener('install', (event) => event.waitUntil(fetchRelease()))
self.addEventListener('activate', (event) => event.waitUntil(takeOver()))
self.addEventListener('message', (event) => event.waitUntil(stepIn(event.data)))
self.addEventListener('push', (event) => event.waitUntil(showAlert(event.data)))
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openAlert(event.notification))
})

self.addEventListener('fetch', (event) => {
  const { method, mode, destination, url } = event.request
  const { origin, pathname } = new URL(url)
  // Calls, media, iframes and all personal data bypass the service worker.
  if (method !== 'GET' || origin !== self.location.origin) return
  if (mode === 'navigate' && destination === 'document' && isScreen(pathname))
    event.respondWith(openScreen(event))
  else if (ours.has(pathname)) event.respondWith(takeFile(pathname))
})

/**
 * Caches the release completely or not at all; after a failure the browser retries with the next document. On metered or slow
 * connections nothing is fetched, and the previous release stays.
 */
async function fetchRelease(): Promise<void> {
  if (isSparing()) throw new Error('data saving is on or the connection is slow')
  const cache = await caches.open(cacheName)
  try {
    await cacheDocument(cache)
    const left = [...shell]
    const next = async (): Promise<void> => {
      const file = left.pop()
      if (file === undefined) return
      await cacheFile(cache, file)
      await next()
    }
    await Promise.all(Array.from({ length: atOnce }, next))
  } catch (error) {
    await caches.delete(cacheName)
    throw error
  }
}

async function cacheDocument(cache: Cache): Promise<void> {
  const answer = await fetch(shellDocument, { cache: 'no-store' })
  const text = await answer.clone().text()
  if (!answer.ok || !text.includes(`"${entry}"`)) throw new Error('the shell belongs to another release')
  await cache.put(shellDocument, answer)
}

/** Caches a file. File names contain a hash, so the browser's own cache may answer. */
async function cacheFile(cache: Cache, file: string): Promise<Response> {
  const answer = await fetch(file, { priority: 'low' })
  if (!answer.ok) throw new Error(`${file}: HTTP ${answer.status}`)
  await cache.put(file, answer.clone())
  return answer
}

/** Deletes old caches and takes control of open pages. Called on activation, when no page of the previous release is open any more. */
async function takeOver(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)))
  await self.registration.navigationPreload?.enable()
  await self.clients.claim()
}

/**
 * Activates the worker if the asking page is of this release and the only one, so that the previous release is not needed. A page
 * that just closed counts as open for a moment, so this is retried.
 */
async function stepIn(entryOfPage: unknown, looks = 10): Promise<void> {
  if (entryOfPage !== entry || looks === 0) return
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (pages.length === 1) return self.skipWaiting()
  await pause(lookAgainMs)
  return stepIn(entryOfPage, looks - 1)
}

/** Returns the server's document, else the shell. */
async function openScreen(event: FetchEvent): Promise<Response> {
  const network = fetchDocument(event)
  event.waitUntil(network.catch(() => undefined))
  const inTime = await Promise.race([network, pause(patienceMs)]).catch(() => undefined)
  return inTime ?? (await findKept(shellDocument)) ?? network
}

async function fetchDocument({ preloadResponse, request }: FetchEvent): Promise<Response> {
  return (await preloadResponse) ?? fetch(request)
}

const pause = (ms: number) => new Promise<undefined>((done) => setTimeout(done, ms))

async function takeFile(file: string): Promise<Response> {
  return (await findKept(file)) ?? cacheFile(await caches.open(cacheName), file)
}

async function findKept(path: string): Promise<Response | undefined> {
  const cache = await caches.open(cacheName)
  return cache.match(path, { ignoreVary: true })
}
