import { addressOf } from '#contract/address.ts'
import type { BodyOf, Endpoint, QueryOf, ResultOf } from '#contract/endpoint.ts'
import { sendEvent } from './tracking/events.ts'
import { acceptLanguage, currentLanguage } from './language.ts'
import { notifyProblem } from './notify.ts'
import { storage } from './storage.ts'
import { adIds, referrerToken } from './tracking/visit.ts'

/** Timeout of a call in milliseconds (seed, section 9). */
export const requestTimeout = 100_000
const userTokenKey = 'user_token'

/** The call was understood and rejected: `code` is the reason, `info` its details. */
export class CallRejected extends Error {
  readonly code: number
  readonly info: unknown

  constructor(code: number, info: unknown, message: string) {
    super(message)
    this.name = 'CallRejected'
    this.code = code
    this.info = info
  }

  /** The form field that the rejection concerns, if any. */
  get field(): string | undefined {
    const { info } = this
    return typeof info === 'object' && info !== null && 'field' in info ? String(info.field) : undefined
  }
}

/** The call was not understood or served, or never arrived (`status` 0). */
export class CallFailed extends Error {
  readonly status: number
  /** Seconds after which the server asks to retry, if given. */
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, retryAfter?: number) {
    super(message)
    this.name = 'CallFailed'
    this.status = status
    this.retryAfter = retryAfter
  }
}

interface CallOptions<E extends Endpoint> {
  query?: QueryOf<E>
  body?: BodyOf<E>
  signal?: AbortSignal | undefined
  idempotencyKey?: string
  /** Lets the request outlive the page. */
  keepalive?: boolean
}

interface Envelope {
  code: number
  message?: string
  info?: unknown
  data?: unknown
}

const ahead = new Map<string, Promise<unknown>>()

const introductionMs = 3000
let introduced: Promise<unknown> | undefined

/** Delays later calls until this one has ended, up to a limit: it identifies the viewer to the site. */
export function introduceFirst(user: Promise<unknown>): void {
  const patience = new Promise((resolve) => setTimeout(resolve, introductionMs))
  introduced = Promise.race([user.catch(() => {}), patience])
}

let reportRefusal: (code: number, of: Endpoint) => void = () => {}

/** Registers a listener for every rejected call. */
export function onRefusal(listener: typeof reportRefusal): void {
  reportRefusal = listener
}

/**
 * Makes a call of the contract and unwraps its envelope (seed, section 8): returns `info`, or `data` if there is none.
 * @throws CallRejected or CallFailed; the browser's AbortError if aborted
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  options: CallOptions<E> = {},
): Promise<ResultOf<E>> {
  const url = urlOf(endpoint, options.query)
  const started = endpoint.method === 'GET' ? ahead.get(url) : undefined
  ahead.delete(url)
  if (!started && introduced) await introduced
  // The server's response schema guarantees the contract's type.
  return (await (started ?? request(endpoint, url, options))) as ResultOf<E>
}

/** Makes a GET call before its screen needs it, once `after` has settled. The screen's own call then uses this response. */
export function callAhead<E extends Endpoint>(
  endpoint: E,
  query?: QueryOf<E>,
  after?: Promise<unknown>,
): Promise<unknown> {
  const url = urlOf(endpoint, query)
  const make = () => request(endpoint, url, {})
  const answer = after ? after.then(make, make) : make()
  ahead.set(url, answer)
  answer.catch(() => {})
  return answer
}

function urlOf(endpoint: Endpoint, query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const fields = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  if (endpoint.method === 'GET') for (const [name, id] of Object.entries(adIds())) fields.set(name, id)
  return addressOf(endpoint, fields)
}

async function request<E extends Endpoint>(
  endpoint: E,
  url: string,
  options: CallOptions<E>,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(requestTimeout)
  const response = await fetch(url, {
    method: endpoint.method,
    headers: headersOf(endpoint, options.idempotencyKey),
    body: endpoint.method === 'GET' ? null : JSON.stringify({ ...adIds(), ...options.body }),
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    keepalive: options.keepalive ?? false,
  }).catch((error: unknown) => fail(endpoint, 0, error))
  storeUserToken(response)
  const envelope = await response.json().then(asEnvelope, (error: unknown) => {
    // Aborted while the response was read, which is no failure.
    if (isAbort(error)) throw error
    return null
  })
  if (!response.ok || !envelope) {
    const wait = Number(response.headers.get('retry-after')) || undefined
    return fail(endpoint, response.status, new Error(envelope?.message ?? ''), wait)
  }
  if (envelope.code === 200) return envelope.info ?? envelope.data
  if (envelope.code === 500 && envelope.message) notifyProblem(envelope.message)
  reportRefusal(envelope.code, endpoint)
  throw new CallRejected(envelope.code, envelope.info, envelope.message ?? '')
}

function asEnvelope(body: unknown): Envelope | null {
  return typeof body === 'object' && body !== null && 'code' in body ? (body as Envelope) : null
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

function fail(endpoint: Endpoint, status: number, error: unknown, retryAfter?: number): never {
  if (isAbort(error)) throw error
  const message = (status && error instanceof Error && error.message) || 'toast.offline'
  notifyProblem(message)
  sendEvent(`http_error${endpoint.path}${status}`)
  throw new CallFailed(status, message, retryAfter)
}

function headersOf(endpoint: Endpoint, idempotencyKey?: string): Record<string, string> {
  const { fbclid, ttclid } = adIds()
  const headers = {
    'content-type': endpoint.method === 'GET' ? null : 'application/json',
    'accept-language': acceptLanguage(currentLanguage()),
    'x-user-token': storage.get(userTokenKey),
    // Percent-encoded, because a campaign's code may contain any characters.
    'x-referrer-token': encodeURIComponent(referrerToken() ?? ''),
    'x-time-zone': endpoint.method === 'GET' ? null : timeZone(),
    'x-fbclid': fbclid,
    'x-ttclid': ttclid,
    'idempotency-key': idempotencyKey,
  }
  const sent = Object.entries(headers).filter((pair): pair is [string, string] => Boolean(pair[1]))
  // A header may contain Latin-1 only; a click id with other characters is still sent in the query or body.
  return Object.fromEntries(sent.filter(([, value]) => /^[\x20-\x7e]*$/.test(value)))
}

let ownZone: string | undefined

/** Returns the IANA name of the browser's time zone. Dates in the user's mails are in it, as those on the screens are. */
function timeZone(): string {
  // Cached, because creating the first date format is slow in browsers.
  ownZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone
  return ownZone
}

/** Stores the header's token, for browsers that block cookies; elsewhere the cookie alone is the session. */
function storeUserToken(response: Response): void {
  const token = response.headers.get('x-user-token')
  if (token && !navigator.cookieEnabled) storage.set(userTokenKey, token)
}
