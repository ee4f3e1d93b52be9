import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { Refusal, type RefusalName } from '#contract/errors.ts'
import type { ResponseOf, BodyOf, Endpoint, QueryOf } from '#contract/endpoint.ts'
import type { Language } from '#contract/languages.ts'
import type { Role } from '#contract/studio/roles.ts'
import type { SendLimits } from './sending/send-bounded.ts'

/** The caller. A guest without stored data (`isStored: false`) has no row, so cached responses can be shared. */
export interface Viewer {
  userId: string
  role: 'visitor' | 'member'
  isStored: boolean
  /** Only for members. */
  sessionId?: string
  /** The first referrer token of a guest without a row. */
  firstReferrerToken?: string | undefined
  /** The client's address of a guest without a row. */
  ip?: string
}

/** The source of a visit (referrer and ad clicks), which the client sends with every call. */
export interface AdClickIds {
  /** The first referrer token of a guest without a row; later calls may have others. */
  firstReferrerToken?: string | undefined
  referrerToken: string | undefined
  fbclid: string | undefined
  ttclid: string | undefined
}

/** One call as a handler sees it: validated input, and nothing of the HTTP library. */
export interface Call<E extends Endpoint = Endpoint> {
  query: QueryOf<E>
  body: BodyOf<E>
  viewer: Viewer | null
  language: Language
  idempotencyKey: string | undefined
  /** The client's address, resolved through the configured number of proxies. */
  ip: string
  userAgent: string
  /** Returns the IANA name of the browser's time zone, if the call has a valid one. */
  timeZone(): string | undefined
  adIds(): AdClickIds
  setHeader(name: string, value: string): void
  cookie(name: string): string | undefined
  /** Serialises the whole response, for a cache. */
  serialise(answer: ResponseOf<E>): Serialised
}

/** A response that is already serialised. */
export class Serialised {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** A streamed response, written as fast as the client reads it. */
export class Streamed {
  readonly chunks: AsyncIterable<string>
  readonly sendLimits: SendLimits
  constructor(chunks: AsyncIterable<string>, sendLimits: SendLimits) {
    this.chunks = chunks
    this.sendLimits = sendLimits
  }
}

export interface Route {
  endpoint: Endpoint
  handle(call: Call): Promise<{ info: unknown } | { data: unknown } | Serialised | Streamed>
  /**
   * Answers a remembered viewer's call without looking them up; undefined if a lookup is needed. Only for frequent
   * calls without private data: the session may have ended a moment ago.
   */
  handleRemembered?: ((call: Call) => Promise<{ info: unknown } | undefined>) | undefined
}

/**
 * Binds an endpoint to its handler. The handler gets input that is validated by the endpoint's schemas and returns
 * exactly one of `info` and `data`; it throws `Refusal` or `Fault` otherwise.
 */
export function route<E extends Endpoint>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<ResponseOf<E> | Serialised | Streamed>,
  handleRemembered?: (call: Call<E>) => Promise<Extract<ResponseOf<E>, { info: unknown }> | undefined>,
): Route {
  // The casts are safe: the schemas of `endpoint` validate the input first. The general type Route cannot express this.
  return {
    endpoint,
    handle: handle as unknown as Route['handle'],
    handleRemembered: handleRemembered as unknown as Route['handleRemembered'],
  }
}

/** An operator, identified by their token. */
export interface Operator {
  id: string
  email: string
  role: Role
  sessionId: string
}

/** A call of the studio, authenticated by the operator's own cookie. A viewer's token is not accepted. */
export interface OperatorCall<E extends Endpoint = Endpoint> extends Pick<
  Call<E>,
  'query' | 'body' | 'language' | 'ip' | 'userAgent' | 'setHeader' | 'cookie'
> {
  operator: Operator | null
}

export interface OperatorRoute {
  endpoint: Endpoint
  handle(call: OperatorCall): Promise<{ info: unknown } | { data: unknown }>
}

/** Binds an endpoint of the studio to its handler, as `route` does for viewers. */
export function operatorRoute<E extends Endpoint>(
  endpoint: E,
  handle: (call: OperatorCall<E>) => Promise<ResponseOf<E>>,
): OperatorRoute {
  // The cast is safe as in `route`.
  return { endpoint, handle: handle as unknown as OperatorRoute['handle'] }
}

/** A raw body sent by an operator, with the parameters of the URL. */
export interface RawUpload extends Pick<OperatorCall, 'operator'>, Partial<Pick<OperatorCall, 'ip'>> {
  params: Record<string, string | undefined>
  bytes: Buffer
}

/**
 * Accepts a raw body from an operator, such as a part of a file or an image. It answers in the envelope, as calls do.
 */
export interface BytesRoute {
  path: `/api/studio/${string}`
  /** The name of its command on the command line; if omitted, there is none. */
  command?: string
  summary: string
  /** Roles that may call the route. The body of a call by another role is not read. */
  roles: readonly Role[]
  /** Maximum size of the body. */
  maxBytes: number
  /** The schema of the answer. */
  info: TSchema
  refuses: readonly RefusalName[]
  handle(received: RawUpload): Promise<{ info: unknown }>
}

/** Returns the viewer. @throws Refusal signInRequired without a known token. */
export function requireViewer(call: { viewer: Viewer | null }): Viewer {
  if (!call.viewer) throw new Refusal('signInRequired')
  return call.viewer
}

/** The caller of a plain request; `setHeader` is for cookies of the response. */
export type Caller = Pick<Call, 'viewer' | 'language' | 'ip' | 'userAgent' | 'adIds' | 'setHeader'>

/** OpenAPI description of a plain route below /api. */
export interface PlainDescription {
  summary: string
  query?: TObject
  /** The media type of the request body. */
  body?: string
  /** Responses by HTTP status; `type` is the media type of the body, if there is one. */
  answers: Record<number, { words: string; type?: string; schema?: TSchema }>
}

export type FindViewer = () => Viewer | null | Promise<Viewer | null>

/**
 * A route outside of the contract, for media, documents or a gateway's frames. It answers plain HTTP, without the
 * envelope.
 */
export interface PlainRoute {
  method: 'GET' | 'POST'
  path: string
  /** Accepts a form or raw body; otherwise only JSON. */
  body?: 'form' | 'raw'
  description?: PlainDescription
  /**
   * Most plain routes do not identify the caller. `caller` looks up the viewer and determines the language. `viewer`
   * may return a viewer from memory, whose session may have ended a moment ago. Both count the request against the
   * viewer's rate limit, and may throw Fault tooManyRequests.
   */
  handle(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: () => Promise<Caller>,
    viewer: FindViewer,
  ): unknown
}
