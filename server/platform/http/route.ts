import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { Refusal, type RefusalName } from '#contract/errors.ts'
import type { AnswerOf, BodyOf, Endpoint, QueryOf } from '#contract/endpoint.ts'
import type { Language } from '#contract/languages.ts'
import type { Role } from '#contract/studio/command.ts'
import type { SendingBounds } from './send-bounded.ts'

/** The caller. A guest for whom nothing is stored (`kept: false`) has no row, so it can share cached answers. */
export interface Viewer {
  userId: string
  role: 'visitor' | 'member'
  kept: boolean
  /** Of a member. */
  sessionId?: string
  /** Of a guest, until something is kept: the first referrer token it came with. */
  cameBy?: string | undefined
  /** Of a guest, until something is kept: where the call comes from. */
  ip?: string
}

/** Where a visitor came from, as the client sends it with every call (seed, section 6). */
export interface AdIds {
  /** The first referrer token of a guest for whom nothing is kept, which another may have followed. */
  cameBy?: string | undefined
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
  /** The address the call came from, behind as many proxies as the settings say. */
  ip: string
  userAgent: string
  /** The IANA name of the browser's time zone, where the call says one that is known. */
  timeZone(): string | undefined
  adIds(): AdIds
  setHeader(name: string, value: string): void
  cookie(name: string): string | undefined
  /** The whole answer as bytes, for a cache to keep. */
  serialise(answer: AnswerOf<E>): Serialised
}

/** An answer that was serialised before. */
export class Serialised {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** An answer that is written piece by piece, as fast as the client takes it. */
export class Streamed {
  readonly pieces: AsyncIterable<string>
  readonly bounds: SendingBounds
  constructor(pieces: AsyncIterable<string>, bounds: SendingBounds) {
    this.pieces = pieces
    this.bounds = bounds
  }
}

export interface Route {
  endpoint: Endpoint
  handle(call: Call): Promise<{ info: unknown } | { data: unknown } | Serialised | Streamed>
  /**
   * Answers the call of a remembered viewer without a query, or undefined where the database has to be asked. Only for frequent calls that
   * reveal nothing.
   */
  fromMemory?: ((call: Call) => Promise<{ info: unknown } | undefined>) | undefined
}

/**
 * Joins a declared call with what answers it. The handler gets input that fits the endpoint's schemas and answers with
 * exactly one of `info` and `data`; it throws `Refusal` or `Fault` for everything else.
 */
export function route<E extends Endpoint>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<AnswerOf<E> | Serialised | Streamed>,
  fromMemory?: (call: Call<E>) => Promise<Extract<AnswerOf<E>, { info: unknown }> | undefined>,
): Route {
  // The schemas of `endpoint` have validated the input by then, which the general type of Route cannot say.
  return {
    endpoint,
    handle: handle as unknown as Route['handle'],
    fromMemory: fromMemory as unknown as Route['fromMemory'],
  }
}

/** Who runs the site, as a token says. */
export interface Operator {
  id: string
  email: string
  role: Role
  sessionId: string
}

/** A call of the studio: an operator's, known by a cookie of their own. No viewer's token counts for it. */
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

/** Joins a declared call of the studio with what answers it, as `route` does for viewers. */
export function operatorRoute<E extends Endpoint>(
  endpoint: E,
  handle: (call: OperatorCall<E>) => Promise<AnswerOf<E>>,
): OperatorRoute {
  // As in `route`.
  return { endpoint, handle: handle as unknown as OperatorRoute['handle'] }
}

/** Bytes that an operator sends, with what the address names. */
export interface ReceivedBytes extends Pick<OperatorCall, 'operator'>, Partial<Pick<OperatorCall, 'ip'>> {
  params: Record<string, string | undefined>
  bytes: Buffer
}

/** What takes bytes of an operator as they are: a part of a file, a picture. It answers in the envelope, as calls do. */
export interface BytesRoute {
  path: `/api/studio/${string}`
  /** The words on the command line, which what the address names and a file follow; without them it is for pages alone. */
  command?: string
  summary: string
  /** Who may send them; others' bodies are not read. */
  roles: readonly Role[]
  /** How many are accepted at once. */
  most: number
  /** The schema of the answer. */
  info: TSchema
  refuses: readonly RefusalName[]
  handle(received: ReceivedBytes): Promise<{ info: unknown }>
}

/** The viewer of a call that needs one. @throws Refusal signInFirst without a known token. */
export function requireViewer(call: { viewer: Viewer | null }): Viewer {
  if (!call.viewer) throw new Refusal('signInFirst')
  return call.viewer
}

/** Who makes a plain request, and what the answer may set. */
export type Caller = Pick<Call, 'viewer' | 'language' | 'ip' | 'userAgent' | 'adIds' | 'setHeader'>

/** What the OpenAPI document says of a plain route below /api. */
export interface PlainDescription {
  summary: string
  query?: TObject
  /** The media type of the body it takes. */
  body?: string
  /** By HTTP status; `type` is the media type of what comes, where something does. */
  answers: Record<number, { words: string; type?: string; schema?: TSchema }>
}

export type FindViewer = () => Viewer | null | Promise<Viewer | null>

/** What is no call of the contract: media, documents, a gateway's frames. It answers plain HTTP, without the envelope. */
export interface PlainRoute {
  method: 'GET' | 'POST'
  path: string
  /** Takes a form or raw body; otherwise only JSON is read. */
  body?: 'form' | 'raw'
  description?: PlainDescription
  /**
   * Most plain routes need not know who is asking: `caller` looks that up, `viewer` no more than whose token it is. Either counts
   * the request as one of that person's calls, and may throw Fault tooMany.
   */
  handle(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: () => Promise<Caller>,
    viewer: FindViewer,
  ): unknown
}
