import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '#contract/languages.ts'
import { parseTimeZone } from '#server/platform/time-zone.ts'
import { Serialised, type AdClickIds, type Call, type Viewer } from './route.ts'

/** Creates the handler's view of a request, without the HTTP library. */
export function createCall(
  request: FastifyRequest,
  reply: FastifyReply,
  viewer: Viewer | null,
  language: Language,
): Call {
  return {
    // The casts are safe: the endpoint's schemas have validated the query and the body.
    query: request.query as Call['query'],
    body: request.body as Call['body'],
    viewer: viewer?.isStored === false ? { ...viewer, ip: request.ip } : viewer,
    language,
    idempotencyKey: header(request, 'idempotency-key'),
    // A value instead of a getter: V8 creates a hidden class for each object literal with a getter, and that class
    // outlives the request.
    ip: request.ip,
    userAgent: header(request, 'user-agent') ?? '',
    timeZone: () => parseTimeZone(header(request, 'x-time-zone')),
    adIds: () => ({ ...adClickIdsOf(request), firstReferrerToken: viewer?.firstReferrerToken }),
    setHeader: (name, value) => void reply.header(name, value),
    cookie: (name) => request.cookies[name],
    serialise: (answer: object) =>
      new Serialised(Buffer.from(String(reply.serializeInput({ code: 200, ...answer }, '200')))),
  }
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads the click ids of a request. Ids longer than 512 characters are ignored. */
function adClickIdsOf(request: FastifyRequest): Omit<AdClickIds, 'firstReferrerToken'> {
  const params = { ...Object(request.query), ...Object(request.body) } as Record<string, unknown>
  const bounded = (value: unknown) =>
    typeof value === 'string' && value !== '' && value.length <= 512 ? value : undefined
  return {
    referrerToken: bounded(decoded(header(request, 'x-referrer-token'))),
    fbclid: bounded(header(request, 'x-fbclid')) ?? bounded(params.fbclid),
    ttclid: bounded(header(request, 'x-ttclid')) ?? bounded(params.ttclid),
  }
}

/**
 * Decodes percent-encoding; returns invalid encoding unchanged, and undefined for NUL, which the database cannot store.
 */
function decoded(value = ''): string | undefined {
  try {
    const text = decodeURIComponent(value)
    return text.includes('\0') ? undefined : text
  } catch {
    return value
  }
}
