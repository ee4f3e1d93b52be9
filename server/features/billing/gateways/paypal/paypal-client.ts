import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '#server/platform/clock.ts'
import { issueOf } from './objects.ts'
import { createTokenCache } from './token-cache.ts'

export interface PaypalRequest {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** JSON. */
  body?: string
  /** `PayPal-Request-Id`: the same key stands for the same request. */
  key?: string
}

export interface PaypalClient {
  /** @throws PaypalRefusal for an answer other than 2xx; Error where there is none */
  ask<T>(request: PaypalRequest): Promise<T>
}

interface Settings {
  clientId: string
  clientSecret: string
  apiBase: string
  clock: Clock
  /** How long one request may take. */
  timeoutMs?: number
}

interface Answer {
  status: number
  body: unknown
}

/** One request; a call of the port may need several within `gatewayTimeoutMs`. */
const requestTimeoutMs = 8000
/** The pauses before a request is sent again that PayPal still works at (409). */
const pausesMs = [100, 300, 900]
const inQuestion = new Set([401, 408, 409, 429])

/** PayPal's no. */
export class PaypalRefusal extends Error {
  override readonly name = 'PaypalRefusal'
  readonly status: number
  /** PayPal's word for why. */
  readonly issue: string
  /** PayPal's name for the request. */
  readonly debugId: string

  constructor({ method, path }: PaypalRequest, { status, body }: Answer) {
    const { issue, debugId } = issueOf(body)
    super(`PayPal answered ${status} ${issue} to ${method} ${path} (debug id ${debugId})`)
    this.status = status
    this.issue = issue
    this.debugId = debugId
  }

  /** Whether nothing came of the request: PayPal understood and will not. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && !inQuestion.has(this.status)
  }
}

/**
 * PayPal over plain HTTP. What was lost on the way or met a fault there (5xx) is sent once more at once, which its key
 * makes harmless: PayPal gives the answer of the first (https://developer.paypal.com/api/rest/reference/idempotency/). What
 * took too long is not, and nothing is ever sent later: keys of orders last 6 hours.
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

  /** A token that PayPal takes no more is replaced once. */
  const sendSigned = async (request: PaypalRequest): Promise<Answer> => {
    const token = await tokens.get()
    const answer = await sendWith(token, request)
    if (answer.status !== 401) return answer
    tokens.drop(token)
    return sendWith(await tokens.get(), request)
  }

  return {
    async ask<T>(request: PaypalRequest) {
      let answer = await twiceAtMost(() => sendSigned(request))
      for (const pause of pausesMs) {
        if (answer.status !== 409) break
        await delay(pause)
        answer = await twiceAtMost(() => sendSigned(request))
      }
      if (answer.status < 200 || answer.status > 299) throw new PaypalRefusal(request, answer)
      // The caller's type says what PayPal documents; what is read of it is checked where it is read.
      return answer.body as T
    },
  }
}

async function twiceAtMost(work: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await work()
    return answer.status < 500 ? answer : await work()
  } catch (error) {
    if (error instanceof PaypalRefusal || (error instanceof Error && error.name === 'TimeoutError'))
      throw error
    return work()
  }
}

async function send(url: string, timeoutMs: number, request: RequestInit): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { ...request, signal, redirect: 'error' })
  const text = await response.text()
  return { status: response.status, body: readJson(text) }
}

/** A proxy in between answers with a page, which is none. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
