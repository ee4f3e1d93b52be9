/*
 * For a CDN with a fetch handler at its edge: verifies the signature in each media URL of
 * server/features/media/signed-urls.ts, and responds from a cache that all viewers share, because its key
 * omits the signature. Uses only Web Crypto, Request and Response. docs/storage-and-cdn.md, "Behind a CDN".
 */

const link = /^\/media\/([^/]+)\/([^/.][^/]*)\/((?:[^/.][^/]*\/)*[^/.][^/]*\.(?:m3u8|m4s|mp4|vtt|webp|jpg))$/
/** The path prefix of cache keys; this handler refuses requests for it. */
const keptBelow = '/media/kept/'
const encoder = new TextEncoder()

/** Decodes base64url, or returns undefined if it is invalid or not in canonical form. */
function decode(text) {
  if (!/^[\w-]{43}$/.test(text)) return undefined
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
  const again = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  return again === text ? bytes : undefined
}

async function isSigned(secret, mac, text) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify'])
  // Compares in constant time.
  return crypto.subtle.verify('HMAC', key, mac, encoder.encode(text))
}

/** @returns the remaining seconds of the signature, or `expired` or `forged` */
export async function secondsLeft(secrets, pass, asset, nowMs) {
  const [expires = '', subject = '', given = '', ...more] = pass.split('.')
  const mac = decode(given)
  if (!mac || more.length > 0) return 'forged'
  const text = `${asset}|${subject}|${expires}`
  const verdicts = await Promise.all(secrets.map((secret) => isSigned(secret, mac, text)))
  if (!verdicts.includes(true)) return 'forged'
  const left = Math.ceil(Number(expires) - nowMs / 1000)
  return left > 0 ? left : 'expired'
}

function refuse(status) {
  return new Response(null, { status, headers: { 'cache-control': 'no-store' } })
}

/** Returns the response with other cache headers, which differ between the shared cache and the viewer. */
function keptFor(answer, caching) {
  const headers = new Headers(answer.headers)
  headers.set('cache-control', caching)
  return new Response(answer.body, { status: answer.status, headers })
}

/** Returns true if the shared cache may store a file. Captions can change; with a bucket, the site marks files that contain signed URLs. */
function mayKeep(file, found) {
  return !file.startsWith('captions/') && found.headers.get('x-accel-expires') !== '0'
}

/** Returns true for a media path, even if `media` itself is percent-encoded. */
function isMedia(pathname) {
  const [, first = ''] = pathname.split('/')
  return first === 'media' || first.includes('%')
}

/** Handles a request. */
export async function answer(request, { secrets, cache, fetchOrigin, now = Date.now, waitUntil = () => {} }) {
  const { origin, pathname } = new URL(request.url)
  // Media URLs contain no encoded characters. An encoded path could mean another file to the next server.
  if (isMedia(pathname) && (/[%\\]/.test(pathname) || pathname.startsWith(keptBelow))) return refuse(404)
  const [, pass, asset, file] = link.exec(pathname) ?? []
  if (file === undefined || request.method !== 'GET') return fetchOrigin(request)
  const left = await secondsLeft(secrets, pass, asset, now())
  if (left === 'expired') return refuse(410)
  if (left === 'forged') return refuse(403)
  const key = new Request(`${origin}${keptBelow}${asset}/${file}`, { headers: request.headers })
  const kept = await cache.match(key)
  const found = kept ?? (await fetchOrigin(request))
  // Partial responses are not cached: players fetch whole segments.
  if (!kept && found.status === 200 && mayKeep(file, found))
    waitUntil(cache.put(key.url, keptFor(found.clone(), 'public, max-age=2592000')))
  if (found.ok || found.status === 304) return keptFor(found, `private, max-age=${left}, immutable`)
  return kept ? keptFor(found, 'no-store') : found
}

/** The handler for Workers and similar runtimes. MEDIA_SECRET is that of the site: one or two values, separated by a comma. */
export default {
  fetch(request, env, context) {
    return answer(request, {
      secrets: env.MEDIA_SECRET.split(',').map((secret) => secret.trim()),
      cache: caches.default,
      fetchOrigin: fetch,
      waitUntil: (work) => context.waitUntil(work),
    })
  },
}
