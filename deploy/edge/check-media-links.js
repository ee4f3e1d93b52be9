/*
 * For a CDN that runs a fetch handler at its edge. Verifies the signature in each media URL (created by
 * server/features/media/signed-urls.ts). Responds from a cache. All viewers share it, because the cache keys do not
 * contain the signature.
 * Uses only Web Crypto, Request and Response. See docs/storage-and-cdn.md, "Behind a CDN".
 */

const link = /^\/media\/([^/]+)\/([^/.][^/]*)\/((?:[^/.][^/]*\/)*[^/.][^/]*\.(?:m3u8|m4s|mp4|vtt|webp|jpg))$/
/** Path prefix of cache keys. The handler refuses client requests for it. */
const cachePrefix = '/media/kept/'
const encoder = new TextEncoder()

/** Decodes base64url. Returns undefined if the text is invalid or not in canonical form. */
function decode(text) {
  if (!/^[\w-]{43}$/.test(text)) return undefined
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
  const reencoded = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  return reencoded === text ? bytes : undefined
}

async function isSigned(secret, mac, text) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify'])
  // Web Crypto compares in constant time.
  return crypto.subtle.verify('HMAC', key, mac, encoder.encode(text))
}

/** Verifies a signature. @returns its remaining seconds, or `expired` or `forged` */
export async function secondsLeft(secrets, signature, asset, nowMs) {
  const [expires = '', subject = '', encodedMac = '', ...rest] = signature.split('.')
  const mac = decode(encodedMac)
  if (!mac || rest.length > 0) return 'forged'
  const text = `${asset}|${subject}|${expires}`
  const verdicts = await Promise.all(secrets.map((secret) => isSigned(secret, mac, text)))
  if (!verdicts.includes(true)) return 'forged'
  const remainingSeconds = Math.ceil(Number(expires) - nowMs / 1000)
  return remainingSeconds > 0 ? remainingSeconds : 'expired'
}

function refuse(status) {
  return new Response(null, { status, headers: { 'cache-control': 'no-store' } })
}

/**
 * Returns a copy of the response with another Cache-Control header: the shared cache and the viewer get different ones.
 */
function withCacheControl(answer, cacheControl) {
  const headers = new Headers(answer.headers)
  headers.set('cache-control', cacheControl)
  return new Response(answer.body, { status: answer.status, headers })
}

/**
 * Returns whether the shared cache may store a file. Captions can change, so they are not stored. With a bucket, the
 * site marks files that contain signed URLs by `X-Accel-Expires: 0`.
 */
function isCacheable(file, response) {
  return !file.startsWith('captions/') && response.headers.get('x-accel-expires') !== '0'
}

/** Returns whether a path is a media path, or may be one because its first segment is percent-encoded. */
function isMedia(pathname) {
  const [, first = ''] = pathname.split('/')
  return first === 'media' || first.includes('%')
}

/** Responds to a request: verifies media URLs, and forwards all other requests to the site. */
export async function answer(request, { secrets, cache, fetchOrigin, now = Date.now, waitUntil = () => {} }) {
  const { origin, pathname } = new URL(request.url)
  // Media URLs contain no encoded characters. The site could decode an encoded path to a file other than the one that
  // was verified.
  if (isMedia(pathname) && (/[%\\]/.test(pathname) || pathname.startsWith(cachePrefix))) return refuse(404)
  const [, signature, asset, file] = link.exec(pathname) ?? []
  if (file === undefined || request.method !== 'GET') return fetchOrigin(request)
  const remainingSeconds = await secondsLeft(secrets, signature, asset, now())
  if (remainingSeconds === 'expired') return refuse(410)
  if (remainingSeconds === 'forged') return refuse(403)
  const key = new Request(`${origin}${cachePrefix}${asset}/${file}`, { headers: request.headers })
  const cached = await cache.match(key)
  const response = cached ?? (await fetchOrigin(request))
  // Caches only complete responses; players request whole segments.
  if (!cached && response.status === 200 && isCacheable(file, response))
    waitUntil(cache.put(key.url, withCacheControl(response.clone(), 'public, max-age=2592000')))
  if (response.ok || response.status === 304)
    return withCacheControl(response, `private, max-age=${remainingSeconds}, immutable`)
  return cached ? withCacheControl(response, 'no-store') : response
}

/**
 * The handler for Workers and similar runtimes. MEDIA_SECRET has the same value as the site's setting: one or two
 * secrets, separated by a comma.
 */
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
