import { endpointUrl } from '#contract/endpoint-url.ts'
import type { BodyOf, Endpoint, QueryOf, ResultOf } from '#contract/endpoint.ts'
import { sendEvent } from './tracking/events.ts'
import { acceptLanguage, currentLanguage } from './language.ts'
import { notifyError } from './notify.ts'
import { storage } from './storage.ts'
import { adClickIds, referrerToken } from './tracking/visit-parameters.ts'

/** Timeout of a call in milliseconds (seed, section 9; CONTRIBUTING.md says what the seed is). */
export const requestTimeout = 100_000
const userTokenKey = 'user_token'
/** The code of rejections whose message `call` shows. */
const shownCode = 500

/** Thrown if the server understood a call and rejected it: `code` is the reason, `info` its details. */
export class ApiError extends Error {
  readonly code: number
  readonly info: unknown

  constructor(code: number, info: unknown, message: string) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.info = info
  }

  /** The form field to which the rejection refers, if any. */
  get field(): string | undefined {
    const { info } = this
    return typeof info === 'object' && info !== null && 'field' in info ? String(info.field) : undefined
  }
}

/** Shows why a call was rejected, unless `call` has shown it already. */
export function notifyRejection({ code, message }: ApiError): void {
  if (code !== shownCode) notifyError(message)
}

/**
 * Thrown if a call failed without a valid API response: there was no response (`status` 0), an HTTP error, or an
 * unreadable response.
 */
export class RequestError extends Error {
  readonly status: number
  /** The number of seconds after which the server allows a retry, if it states a delay. */
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, retryAfter?: number) {
    super(message)
    this.name = 'RequestError'
    this.status = status
    this.retryAfter = retryAfter
  }
}

interface CallOptions<E extends Endpoint> {
  query?: QueryOf<E>
  body?: BodyOf<E>
  signal?: AbortSignal | undefined
  idempotencyKey?: string
  /** If true, the request continues when the page is closed. */
  keepalive?: boolean
}

interface Envelope {
  code: number
  message?: string
  info?: unknown
  data?: unknown
}

const prefetchedCalls = new Map<string, Promise<unknown>>()

const identificationTimeoutMs = 3000
let identification: Promise<unknown> | undefined

/**
 * Makes later calls wait for the first call of a new viewer, at most `identificationTimeoutMs`. The response to that
 * call sets the cookie that identifies the viewer.
 */
export function delayCallsUntil(identifyingCall: Promise<unknown>): void {
  const timeout = new Promise((resolve) => setTimeout(resolve, identificationTimeoutMs))
  identification = Promise.race([identifyingCall.catch(() => {}), timeout])
}

let apiErrorListener: (code: number, endpoint: Endpoint) => void = () => {}

/** Sets the listener that is called for every rejected call. */
export function onApiError(listener: typeof apiErrorListener): void {
  apiErrorListener = listener
}

/**
 * Makes a call of the contract and unwraps its envelope (seed, section 8): returns `info`, or `data` if there is no
 * `info`.
 * @throws ApiError or RequestError; the browser's AbortError if aborted
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  options: CallOptions<E> = {},
): Promise<ResultOf<E>> {
  const url = urlOf(endpoint, options.query)
  const prefetched = endpoint.method === 'GET' ? prefetchedCalls.get(url) : undefined
  prefetchedCalls.delete(url)
  if (!prefetched && identification) await identification
  // The cast is safe: the server validates its responses against the contract's schemas.
  return (await (prefetched ?? request(endpoint, url, options))) as ResultOf<E>
}

/**
 * Makes a GET call before its screen is opened, once `after` has settled. The first call of that screen to the same URL
 * uses this response.
 */
export function prefetchCall<E extends Endpoint>(
  endpoint: E,
  query?: QueryOf<E>,
  after?: Promise<unknown>,
): Promise<unknown> {
  const url = urlOf(endpoint, query)
  const send = () => request(endpoint, url, {})
  const result = after ? after.then(send, send) : send()
  prefetchedCalls.set(url, result)
  result.catch(() => {})
  return result
}

function urlOf(endpoint: Endpoint, query: object = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  const fields = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))
  if (endpoint.method === 'GET') for (const [name, id] of Object.entries(adClickIds())) fields.set(name, id)
  return endpointUrl(endpoint, fields)
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
    body: endpoint.method === 'GET' ? null : JSON.stringify({ ...adClickIds(), ...options.body }),
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    keepalive: options.keepalive ?? false,
  }).catch((error: unknown) => fail(endpoint, 0, error))
  storeUserToken(response)
  const envelope = await response.json().then(asEnvelope, (error: unknown) => {
    // The call was aborted while the response was read; this is not a failure.
    if (isAbort(error)) throw error
    return null
  })
  if (!response.ok || !envelope) {
    const retryAfter = Number(response.headers.get('retry-after')) || undefined
    return fail(endpoint, response.status, new Error(envelope?.message ?? ''), retryAfter)
  }
  if (envelope.code === 200) return envelope.info ?? envelope.data
  if (envelope.code === shownCode && envelope.message) notifyError(envelope.message)
  apiErrorListener(envelope.code, endpoint)
  throw new ApiError(envelope.code, envelope.info, envelope.message ?? '')
}

function asEnvelope(body: unknown): Envelope | null {
  return typeof body === 'object' && body !== null && 'code' in body ? (body as Envelope) : null
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

function fail(endpoint: Endpoint, status: number, error: unknown, retryAfter?: number): never {
  if (isAbort(error)) throw error
  const message = (status && error instanceof Error && error.message) || 'toast.offline'
  notifyError(message)
  sendEvent(`http_error${endpoint.path}${status}`)
  throw new RequestError(status, message, retryAfter)
}

function headersOf(endpoint: Endpoint, idempotencyKey?: string): Record<string, string> {
  const { fbclid, ttclid } = adClickIds()
  const headers = {
    'content-type': endpoint.method === 'GET' ? null : 'application/json',
    'accept-language': acceptLanguage(currentLanguage()),
    'x-user-token': storage.get(userTokenKey),
    // Percent-encoded, because the referrer code of a campaign may contain any characters.
    'x-referrer-token': encodeURIComponent(referrerToken() ?? ''),
    'x-time-zone': endpoint.method === 'GET' ? null : timeZone(),
    'x-fbclid': fbclid,
    'x-ttclid': ttclid,
    'idempotency-key': idempotencyKey,
  }
  const sent = Object.entries(headers).filter((pair): pair is [string, string] => Boolean(pair[1]))
  // Headers allow only ASCII here. A click id with other characters is still sent in the query or body.
  return Object.fromEntries(sent.filter(([, value]) => /^[\x20-\x7e]*$/.test(value)))
}

let cachedTimeZone: string | undefined

/**
 * Returns the IANA name of the browser's time zone. The server formats dates in mails in this zone, as the screens do.
 */
function timeZone(): string {
  // Cached, because creating the first date format is slow in browsers.
  cachedTimeZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone
  return cachedTimeZone
}

/**
 * Stores the session token from a response header, for browsers that block cookies. In other browsers the cookie is the
 * session.
 */
function storeUserToken(response: Response): void {
  const token = response.headers.get('x-user-token')
  if (token && !navigator.cookieEnabled) storage.set(userTokenKey, token)
}
