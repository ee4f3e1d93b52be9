/*
 * For a CDN that runs a fetch handler at its edge: checks the pass in each link to media, as
 * server/features/media/signed-urls.ts makes them, and answers from a cache that is the same for everybody, since its key
 * leaves the pass out. Uses nothing but Web Crypto, Request and Response. docs/storage-and-cdn.md, "Behind a CDN".
 */

const link = /^\/media\/([^/]+)\/([^/.][^/]*)\/((?:[^/.][^/]*\/)*[^/.][^/]*\.(?:m3u8|m4s|mp4|vtt|webp|jpg))$/
/** Where copies are kept: below a path that is this handler's own, which gives nothing out there. */
const keptBelow = '/media/kept/'
const encoder = new TextEncoder()

/** Base64url as bytes, or undefined where it is no such thing or another spelling of one. */
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

/** @returns the seconds that the pass is good for yet, or `expired` or `forged` */
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

/** The same answer with another life: one in the cache of all, another with the viewer. */
function keptFor(answer, caching) {
  const headers = new Headers(answer.headers)
  headers.set('cache-control', caching)
  return new Response(answer.body, { status: answer.status, headers })
}

/** Captions are rewritten in their place; with files in a bucket the site marks what holds links of one pass. */
function mayKeep(file, found) {
  return !file.startsWith('captions/') && found.headers.get('x-accel-expires') !== '0'
}

/** Also where `media` itself is encoded. */
function isMedia(pathname) {
  const [, first = ''] = pathname.split('/')
  return first === 'media' || first.includes('%')
}

/** Answers one request. */
export async function answer(request, { secrets, cache, fetchOrigin, now = Date.now, waitUntil = () => {} }) {
  const { origin, pathname } = new URL(request.url)
  // Our links have nothing encoded: what is could mean another file to whoever reads the path next.
  if (isMedia(pathname) && (/[%\\]/.test(pathname) || pathname.startsWith(keptBelow))) return refuse(404)
  const [, pass, asset, file] = link.exec(pathname) ?? []
  if (file === undefined || request.method !== 'GET') return fetchOrigin(request)
  const left = await secondsLeft(secrets, pass, asset, now())
  if (left === 'expired') return refuse(410)
  if (left === 'forged') return refuse(403)
  const key = new Request(`${origin}${keptBelow}${asset}/${file}`, { headers: request.headers })
  const kept = await cache.match(key)
  const found = kept ?? (await fetchOrigin(request))
  // A part is passed on and not kept: players fetch whole segments.
  if (!kept && found.status === 200 && mayKeep(file, found))
    waitUntil(cache.put(key.url, keptFor(found.clone(), 'public, max-age=2592000')))
  if (found.ok || found.status === 304) return keptFor(found, `private, max-age=${left}, immutable`)
  return kept ? keptFor(found, 'no-store') : found
}

/** As Workers and their like call it; MEDIA_SECRET is the site's, one or two with a comma between them. */
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
