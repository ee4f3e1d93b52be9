import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '#contract/errors.ts'

/** Nothing of the contract is nested deeper by far. */
const deepest = 20

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

/** Whether a request is for the API, however its address is written: `/%61pi/user` and `http://host/api/user` are `/api/user`. */
export function isForApi({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/api/') === true
}

/**
 * Refuses an address that is no UTF-8 once decoded, or holds NUL (security.md, "Redirects"): no text of ours has it,
 * PostgreSQL cannot hold it.
 * @throws Fault badRequest
 */
export function refuseUnreadableUrl(url: string): void {
  if (!url.includes('%')) return
  if (url.includes('%00')) throw new Fault('badRequest', 'a text holds a NUL character')
  try {
    decodeURIComponent(url)
  } catch {
    throw new Fault('badRequest', 'the address is not encoded in UTF-8')
  }
}

/**
 * Refuses NUL and halves of characters (lone surrogates) in anything a body holds, names included, and a body that is
 * nested too deeply.
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

function refuseUnreadableText(text: string): void {
  if (text.includes('\0')) throw new Fault('badRequest', 'a text holds a NUL character')
  if (!text.isWellFormed()) throw new Fault('badRequest', 'a text holds half of a character')
}

type Done = (error?: Error) => void

/** A check as a hook. Without a promise: every call passes several of them. */
export function checkFirst(check: (request: FastifyRequest) => void) {
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
