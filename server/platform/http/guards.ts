import type { FastifyRequest } from 'fastify'
import { Fault } from '#contract/errors.ts'

/**
 * Refuses an unsafe call that another site may have caused (security.md, "CSRF"): the cookie goes along with those,
 * a token in a header does not.
 * @throws Fault foreignOrigin
 */
export function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  if (request.headers['x-user-token'] && !request.headers.cookie) return
  const site = request.headers['sec-fetch-site']
  const same =
    site === undefined ? request.headers.origin === new URL(publicUrl).origin : site === 'same-origin'
  if (!same) throw new Fault('foreignOrigin')
}

/** Refuses NUL in anything that was sent (security.md, "Redirects"): no text of ours has it, PostgreSQL cannot hold it. */
export function refuseNul(request: FastifyRequest): void {
  if (request.url.includes('%00') || hasNul(request.body))
    throw new Fault('badRequest', 'a text holds a NUL character')
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasNul)
}
