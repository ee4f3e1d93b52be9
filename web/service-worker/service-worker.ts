/// <reference lib="webworker" />
import { shouldSaveData } from '#web/player/engine/bandwidth.ts'
import { openAlert, showAlert } from './alerts.ts'
import { isScreen } from './is-screen.ts'
import { renewPush } from './renew-push.ts'

declare const self: ServiceWorkerGlobalScope
/** The files of the shell, and large files that few users need; inserted by scripts/web-build/build-web.ts. */
declare const builtFiles: { entry: string; shell: string[]; onUse: string[] }

// The server inserts the release. Each release has its own cache, so that files of two releases never mix.
const cacheName = 'release __RELEASE__'
const { entry, shell, onUse } = builtFiles
const releaseFiles = new Set([...shell, ...onUse])
const shellDocument = '/offline'
/** The shell is shown if a document takes longer than this. */
const documentTimeoutMs = 4000
/** Polling interval while the worker waits for pages to close. */
const pollMs = 1000
/** Number of parallel downloads, small enough not to disturb playback. */
const parallelDownloads = 2

self.addEventListener('install', (event) => event.waitUntil(fetchRelease()))
self.addEventListener('activate', (event) => event.waitUntil(replaceOldRelease()))
self.addEventListener('message', (event) => event.waitUntil(skipWaitingIfAlone(event.data)))
self.addEventListener('push', (event) => event.waitUntil(showAlert(event.data)))
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewPush(event)))
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
    event.respondWith(respondWithScreen(event))
  else if (releaseFiles.has(pathname)) event.respondWith(respondWithFile(pathname))
})

/**
 * Caches the release completely or not at all; after a failure the browser retries with the next document. On metered
 * or slow connections, fetches nothing, so that the previous release stays active.
 * @throws Error if the release was not cached
 */
async function fetchRelease(): Promise<void> {
  if (shouldSaveData()) throw new Error('data saving is on or the connection is slow')
  const cache = await caches.open(cacheName)
  try {
    await cacheDocument(cache)
    const remaining = [...shell]
    const cacheNext = async (): Promise<void> => {
      const file = remaining.pop()
      if (file === undefined) return
      await cacheFile(cache, file)
      await cacheNext()
    }
    await Promise.all(Array.from({ length: parallelDownloads }, cacheNext))
  } catch (error) {
    await caches.delete(cacheName)
    throw error
  }
}

async function cacheDocument(cache: Cache): Promise<void> {
  const response = await fetch(shellDocument, { cache: 'no-store' })
  const text = await response.clone().text()
  if (!response.ok || !text.includes(`"${entry}"`)) throw new Error('the shell belongs to another release')
  await cache.put(shellDocument, response)
}

/** Caches a file. It may come from the browser's own cache, because file names contain a hash. */
async function cacheFile(cache: Cache, file: string): Promise<Response> {
  const response = await fetch(file, { priority: 'low' })
  if (!response.ok) throw new Error(`${file}: HTTP ${response.status}`)
  await cache.put(file, response.clone())
  return response
}

/**
 * Deletes old caches and takes control of open pages. Called on activation, when no page of the old release is open.
 */
async function replaceOldRelease(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)))
  await self.registration.navigationPreload?.enable()
  await self.clients.claim()
}

/**
 * Activates the worker if the page that sent the message belongs to this release and is the only open page. Then no
 * page needs the previous release. Retries, because a page that was just closed counts as open for a moment.
 */
async function skipWaitingIfAlone(pageEntry: unknown, attemptsLeft = 10): Promise<void> {
  if (pageEntry !== entry || attemptsLeft === 0) return
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (pages.length === 1) return self.skipWaiting()
  await delay(pollMs)
  return skipWaitingIfAlone(pageEntry, attemptsLeft - 1)
}

/** Returns the server's document or, if it is slow or unavailable, the shell. */
async function respondWithScreen(event: FetchEvent): Promise<Response> {
  const network = fetchDocument(event)
  event.waitUntil(network.catch(() => undefined))
  const fastResponse = await Promise.race([network, delay(documentTimeoutMs)]).catch(() => undefined)
  return fastResponse ?? (await findCached(shellDocument)) ?? network
}

async function fetchDocument({ preloadResponse, request }: FetchEvent): Promise<Response> {
  return (await preloadResponse) ?? fetch(request)
}

const delay = (ms: number) => new Promise<undefined>((done) => setTimeout(done, ms))

async function respondWithFile(file: string): Promise<Response> {
  return (await findCached(file)) ?? cacheFile(await caches.open(cacheName), file)
}

async function findCached(path: string): Promise<Response | undefined> {
  const cache = await caches.open(cacheName)
  return cache.match(path, { ignoreVary: true })
}
