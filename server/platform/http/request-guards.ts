import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Fault } from '#contract/errors.ts'
import { normalizeEmail } from '#server/platform/email-address.ts'

/** Maximum nesting of a body. Bodies of the contract are nested much less. */
const deepest = 20

/**
 * Refuses an unsafe call that another site may have caused (CSRF). A call with a token in a header and no cookie is
 * allowed: browsers attach only cookies to another site's calls.
 * @throws Fault crossOrigin
 */
export function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  if (request.headers['x-user-token'] && !request.headers.cookie) return
  const site = request.headers['sec-fetch-site']
  const same =
    site === undefined ? request.headers.origin === new URL(publicUrl).origin : site === 'same-origin'
  if (!same) throw new Fault('crossOrigin')
}

/**
 * Returns whether a route belongs to the API. Tests the pattern of the route, because the URL of a request may be
 * written as `/%61pi/user` or `http://host/api/user`.
 */
export function isApiRoute({ url }: RouteAddress): boolean {
  return url.startsWith('/api/')
}

/**
 * Refuses a URL that is not UTF-8 once decoded, or contains NUL, which PostgreSQL cannot store.
 * @throws Fault badRequest
 */
export function refuseUnreadableUrl(url: string): void {
  if (!url.includes('%')) return
  if (url.includes('%00')) throw new Fault('badRequest', 'a text contains a NUL character')
  try {
    decodeURIComponent(url)
  } catch {
    throw new Fault('badRequest', 'the URL is not encoded in UTF-8')
  }
}

/**
 * Refuses NUL and lone surrogates in any text of a body, property names included, and a body that is nested too deeply.
 * @throws Fault badRequest
 */
export function refuseUnreadable(value: unknown, depth = 0): void {
  if (typeof value === 'string') return refuseUnreadableText(value)
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return
  if (depth === deepest) throw new Fault('badRequest', 'the body is nested too deeply')
  for (const [name, inner] of Object.entries(value)) {
    refuseUnreadableText(name)
    refuseUnreadable(inner, depth + 1)
  }
}

/** Normalises the e-mail address of a body. */
export function normalizeBodyEmail(body: unknown): void {
  if (typeof body === 'object' && body !== null && 'email' in body && typeof body.email === 'string')
    body.email = normalizeEmail(body.email)
}

function refuseUnreadableText(text: string): void {
  if (text.includes('\0')) throw new Fault('badRequest', 'a text contains a NUL character')
  if (!text.isWellFormed()) throw new Fault('badRequest', 'a text contains half of a surrogate pair')
}

/**
 * Refuses a request without the Host header that HTTP/1.1 requires. Node's own check, which is off, would send an
 * empty response instead of the site's error envelope.
 * @throws Fault badRequest
 */
export function refuseMissingHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion !== '1.0')
    throw new Fault('badRequest', 'the request names no host')
}

/**
 * Headers that must not occur twice: another server on the path could interpret such a request differently (RFC 9112,
 * section 3.2).
 */
const single: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'origin',
  'sec-fetch-site',
  'x-user-token',
  'idempotency-key',
])

/**
 * Refuses a request that repeats a header that must be unique.
 * @throws Fault badRequest
 */
export function refuseDuplicateHeaders({ raw: { rawHeaders } }: FastifyRequest): void {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!single.has(name)) continue
    if (seen.has(name)) throw new Fault('badRequest', `the request has ${name} twice`)
    seen.add(name)
  }
}

export type RouteAddress = Pick<RouteOptions, 'method' | 'url'>

/** Runs a check on every request of the chosen routes. The choice is made once, when a route is added. */
export function checkRoutes(
  app: FastifyInstance,
  appliesTo: (route: RouteAddress) => boolean,
  check: (request: FastifyRequest) => void,
): void {
  const hook = toRequestHook(check)
  app.addHook('onRoute', (route) => {
    if (appliesTo(route)) route.onRequest = [route.onRequest ?? [], hook].flat()
  })
}

type Done = (error?: Error) => void

/** Wraps a check as a hook. It uses no promise, because every request passes several such hooks. */
export function toRequestHook(check: (request: FastifyRequest) => void) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    let failure: Error | undefined
    try {
      check(request)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    done(failure)
  }
}
