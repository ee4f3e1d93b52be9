import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '#server/platform/clock.ts'
import { issueOf } from './objects.ts'
import { createTokenCache } from './token-cache.ts'

export interface PaypalRequest {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** The body as JSON text. */
  body?: string
  /** The `PayPal-Request-Id`, which is PayPal's idempotency key. */
  key?: string
}

export interface PaypalClient {
  /**
   * Sends a request and returns the response body.
   * @throws PaypalRefusal for a status other than 2xx; Error if there is no response
   */
  request<T>(request: PaypalRequest): Promise<T>
}

interface Settings {
  clientId: string
  clientSecret: string
  apiBase: string
  clock: Clock
  /** Time limit of one request, in milliseconds. */
  timeoutMs?: number
}

interface PaypalResponse {
  status: number
  body: unknown
}

/** Time limit of one HTTP request. One gateway call may need several requests within `gatewayTimeoutMs`. */
const requestTimeoutMs = 8000
/** The delays before repeating a request that PayPal is still processing (409). */
const retryDelaysMs = [100, 300, 900]
const inconclusiveStatuses = new Set([401, 408, 409, 429])

/** PayPal's error response to a request. */
export class PaypalRefusal extends Error {
  override readonly name = 'PaypalRefusal'
  readonly status: number
  /** PayPal's name for the reason. */
  readonly issue: string
  /** PayPal's id of the request, for questions to its support. */
  readonly debugId: string

  constructor({ method, path }: PaypalRequest, { status, body }: PaypalResponse) {
    const { issue, debugId } = issueOf(body)
    super(`PayPal answered ${status} ${issue} to ${method} ${path} (debug id ${debugId})`)
    this.status = status
    this.issue = issue
    this.debugId = debugId
  }

  /** Returns whether PayPal refused the request permanently. Such a request had no effect. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && !inconclusiveStatuses.has(this.status)
  }
}

/**
 * Creates an HTTP client for PayPal. The client repeats a request once, immediately, if the connection failed or PayPal
 * answered with a server error (5xx). Repeating is safe, because PayPal answers a known `PayPal-Request-Id` with its
 * first answer (https://developer.paypal.com/api/rest/reference/idempotency/). A request that timed out is not
 * repeated. A request that PayPal is still processing (409) is repeated for about a second. The client never repeats a
 * request later, because PayPal forgets the keys of orders after 6 hours.
 */
export function createPaypalClient(settings: Settings): PaypalClient {
  const { apiBase, clientId, clientSecret, clock, timeoutMs = requestTimeoutMs } = settings
  const fetchToken = async () => {
    const request: PaypalRequest = { method: 'POST', path: '/v1/oauth2/token' }
    const answer = await send(`${apiBase}${request.path}`, timeoutMs, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    if (answer.status !== 200) throw new PaypalRefusal(request, answer)
    return answer.body
  }
  const tokens = createTokenCache(fetchToken, clock)

  const sendWith = (token: string, { method, path, body, key }: PaypalRequest) =>
    send(`${apiBase}${path}`, timeoutMs, {
      method,
      body: body ?? null,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', prefer: 'return=representation' }),
        ...(key === undefined ? {} : { 'paypal-request-id': key }),
      },
    })

  /** Sends a request. If PayPal rejects the access token, gets another token and repeats the request once. */
  const sendAuthorized = async (request: PaypalRequest): Promise<PaypalResponse> => {
    const token = await tokens.get()
    const answer = await sendWith(token, request)
    if (answer.status !== 401) return answer
    tokens.drop(token)
    return sendWith(await tokens.get(), request)
  }

  return {
    async request<T>(request: PaypalRequest) {
      let answer = await retryOnce(() => sendAuthorized(request))
      for (const pause of retryDelaysMs) {
        if (answer.status !== 409) break
        await delay(pause)
        answer = await retryOnce(() => sendAuthorized(request))
      }
      if (answer.status < 200 || answer.status > 299) throw new PaypalRefusal(request, answer)
      // The caller's type follows PayPal's documentation. Properties are checked where they are read.
      return answer.body as T
    },
  }
}

async function retryOnce(work: () => Promise<PaypalResponse>): Promise<PaypalResponse> {
  try {
    const answer = await work()
    return answer.status < 500 ? answer : await work()
  } catch (error) {
    if (error instanceof PaypalRefusal || (error instanceof Error && error.name === 'TimeoutError'))
      throw error
    return work()
  }
}

async function send(url: string, timeoutMs: number, request: RequestInit): Promise<PaypalResponse> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { ...request, signal, redirect: 'error' })
  const text = await response.text()
  return { status: response.status, body: readJson(text) }
}

/** Parses JSON. Returns an empty object for a body that is not JSON, such as a proxy's error page. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
