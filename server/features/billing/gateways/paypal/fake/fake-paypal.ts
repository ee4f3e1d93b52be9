import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { fakeId, FakeOrders, FakeRefusal } from './fake-orders.ts'
import { FakeSetups } from './fake-setups.ts'
import { walletPage } from './fake-wallet-page.ts'

/**
 * A simulated fault, before or after PayPal executes a request. `404` and `429`: PayPal does not execute the request.
 * `time-out`: PayPal executes it but sends no response. `blank`: PayPal does not execute it, and the answer is 200 with
 * an HTML page, as from a proxy.
 */
export type SimulatedFault =
  | 'none'
  | '404'
  | '429'
  | '500 before'
  | '500 after'
  | 'dropped before'
  | 'dropped after'
  | 'time-out'
  | 'blank'

interface ReceivedRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  text: string
}

interface FakeResponse {
  status: number
  body?: object
  html?: string
  location?: string
}

interface Event {
  id: string
  create_time: string
  event_type: string
  resource: object
}

const secret = 'the secret of the fake'
const sign = (signer: string, ...parts: string[]) =>
  `sig${createHmac('sha256', signer).update(parts.join('|')).digest('hex')}`
const idempotencyRetentionMs = 6 * 60 * 60_000
const pageSize = 3
const dayMs = 24 * 60 * 60_000
const refuse = (status: number, issue: string): FakeResponse => ({
  status,
  body: { name: 'PROBLEM', debug_id: 'fake', details: [{ issue }] },
})

/**
 * A fake of the parts of PayPal's HTTP API that this site uses: orders, captures, refunds, vault, signed events, and
 * the page where a user approves. Like PayPal, it refuses invalid requests, repeats its answer to a Request-Id for six
 * hours, and verifies access tokens.
 */
export class FakePaypal {
  readonly keys = {
    PAYPAL_CLIENT_ID: 'fake-client',
    PAYPAL_CLIENT_SECRET: 'fake-secret',
    PAYPAL_WEBHOOK_ID: 'FAKEHOOK',
  }
  readonly orders = new FakeOrders(
    () => this.url,
    (type, resource) => this.emitEvent(type, resource),
  )
  readonly setups = new FakeSetups(
    this.orders.vault,
    () => this.url,
    (type, resource) => this.emitEvent(type, resource),
  )
  readonly events: Event[] = []
  /** Every received request. */
  readonly requests: ReceivedRequest[] = []
  /**
   * The faults of the requests whose method and path match `on`. Each request takes the next fault; the last one
   * repeats.
   */
  fault: { on: RegExp; with: SimulatedFault[] } | undefined
  /** The URL to which events are sent. */
  webhookUrl: string | undefined
  /** The event types that the account's webhook subscribes to. */
  webhookEvents = ['*']
  /** The time by which the fake's clock is ahead, in milliseconds. */
  clockOffsetMs = 0
  /** True if the fake, like PayPal, refuses requests for events and disputes that are too old for PayPal's lists. */
  enforcesRetention = false
  /** The delay until a new event is listed, in milliseconds. */
  listingDelayMs = 0

  private readonly tokens = new Set<string>()
  private readonly answers = new Map<string, { at: number; answer?: FakeResponse }>()
  private readonly sent: Promise<unknown>[] = []
  private readonly heldResponses: (() => void)[] = []
  private readonly server: Server

  private constructor() {
    // Idle connections stay open, because a client on a slow machine may be about to use one.
    this.server = createServer(
      { keepAliveTimeout: 0 },
      (request, response) => void this.serve(request, response),
    )
  }

  static async start(port = 0): Promise<FakePaypal> {
    const fake = new FakePaypal()
    await new Promise<void>((resolve) => fake.server.listen(port, '127.0.0.1', resolve))
    return fake
  }

  get url(): string {
    // The cast is safe: a server that listens on a port has an `AddressInfo`.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get settings(): Record<string, string> {
    return { ...this.keys, PAYPAL_API_BASE: this.url }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  /** Ends all faults and sends the delayed responses. */
  recover(): void {
    this.fault = undefined
    this.listingDelayMs = 0
    for (const answer of this.heldResponses.splice(0)) answer()
  }

  /** Invalidates all access tokens. */
  revokeTokens(): void {
    this.tokens.clear()
  }

  /** Counts the received requests that match, such as `POST /v1/oauth2/token`. */
  count(pattern: RegExp): number {
    return this.requests.filter(({ method, path }) => pattern.test(`${method} ${path}`)).length
  }

  /** Returns an event with its signature, as sent to the webhook. */
  signed(
    event: object,
    { at = new Date(this.now()), signer = secret }: { at?: Date; signer?: string } = {},
  ): { body: Buffer; headers: Record<string, string> } {
    // The formatting is unusual on purpose. If the site serialized the event again, the signed bytes would change.
    const body = JSON.stringify(event, null, 1).replace('\n', '\r\n')
    const id = randomUUID()
    const time = at.toISOString()
    return {
      body: Buffer.from(body),
      headers: {
        'content-type': 'application/json',
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': `${this.url}/cert`,
        'paypal-transmission-id': id,
        'paypal-transmission-time': time,
        'paypal-transmission-sig': sign(signer, id, time, this.keys.PAYPAL_WEBHOOK_ID, body),
      },
    }
  }

  /** Waits until all sent events have been answered. */
  async flushEvents(): Promise<void> {
    await Promise.all(this.sent.splice(0))
  }

  private now = () => Date.now() + this.clockOffsetMs

  emitEvent(event_type: string, resource: object): void {
    const event = {
      id: `WH-${fakeId()}`,
      create_time: new Date(this.now()).toISOString(),
      event_type,
      resource,
    }
    this.events.unshift(event)
    if (this.webhookUrl === undefined) return
    const { body, headers } = this.signed(event)
    this.sent.push(fetch(this.webhookUrl, { method: 'POST', body: body.toString(), headers }).catch(() => {}))
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    const received: ReceivedRequest = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      text: await text(request),
    }
    this.requests.push(received)
    const fault = this.faultFor(received)
    if (fault === 'dropped before') return void response.destroy()
    if (fault === 'blank') return void response.writeHead(200).end('<html></html>')
    const faultStatus =
      fault === '404' ? 404 : fault === '429' ? 429 : fault === '500 before' ? 500 : undefined
    const answer =
      faultStatus === undefined ? await this.answerIdempotently(received) : refuse(faultStatus, 'TROUBLE')
    if (fault === 'dropped after') return void response.destroy()
    if (fault === 'time-out') await new Promise<void>((resolve) => this.heldResponses.push(resolve))
    const { status, body, html, location } = fault === '500 after' ? refuse(500, 'TROUBLE') : answer
    const type = html === undefined ? 'application/json' : 'text/html; charset=utf-8'
    response.writeHead(status, { 'content-type': type, ...(location ? { location } : {}) })
    response.end(html ?? (body ? JSON.stringify(body) : undefined))
  }

  private faultFor({ method, path }: ReceivedRequest): SimulatedFault | undefined {
    const { on, with: list = [] } = this.fault ?? {}
    if (!on?.test(`${method} ${path}`)) return undefined
    return list.length > 1 ? list.shift() : list[0]
  }

  /** Repeats the answer to a Request-Id for as long as PayPal does. */
  private async answerIdempotently(request: ReceivedRequest): Promise<FakeResponse> {
    const id = request.headers['paypal-request-id']
    if (typeof id !== 'string') return this.answer(request)
    const key = `${request.path} ${id}`
    const earlier = this.answers.get(key)
    if (earlier && this.now() - earlier.at < idempotencyRetentionMs) {
      if (!earlier.answer) return refuse(409, 'PREVIOUS_REQUEST_IN_PROGRESS')
      return { ...earlier.answer, status: 200 }
    }
    const entry: { at: number; answer?: FakeResponse } = { at: this.now() }
    this.answers.set(key, entry)
    await turn()
    const answer = this.answer(request)
    if (answer.status < 300) entry.answer = answer
    else this.answers.delete(key)
    return answer
  }

  private answer(request: ReceivedRequest): FakeResponse {
    try {
      const { method, path, headers } = request
      if (path === '/v1/oauth2/token') return this.issueToken(headers.authorization)
      if (path === '/checkoutnow') return this.wallet(request)
      if (path === '/agreements/approve') return this.agreement(request)
      if (!this.tokens.has(headers.authorization?.replace('Bearer ', '') ?? ''))
        return refuse(401, 'INVALID_TOKEN')
      return this.route(`${method} ${path}`, request)
    } catch (error) {
      if (error instanceof FakeRefusal) return refuse(error.status, error.message)
      throw error
    }
  }

  private issueToken(authorization: string | undefined): FakeResponse {
    const { PAYPAL_CLIENT_ID: id, PAYPAL_CLIENT_SECRET: password } = this.keys
    const right = `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`
    if (authorization !== right) return { status: 401, body: { error: 'invalid_client' } }
    const token = randomUUID()
    this.tokens.add(token)
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: 32_400 } }
  }

  private route(endpoint: string, request: ReceivedRequest): FakeResponse {
    const { orders, setups } = this
    const [, , , , id = ''] = request.path.split('/')
    const sent = () => JSON.parse(request.text)
    if (endpoint === 'POST /v2/checkout/orders') {
      if (request.headers['paypal-request-id'] === undefined) return refuse(400, 'PAYPAL_REQUEST_ID_REQUIRED')
      return { status: 201, body: orders.present(orders.create(sent())) }
    }
    if (/^POST \/v2\/checkout\/orders\/\w+\/capture$/.test(endpoint))
      return { status: 201, body: orders.present(orders.capture(orders.get(id))) }
    if (endpoint.startsWith('GET /v2/checkout/orders/'))
      return { status: 200, body: orders.present(orders.get(id)) }
    if (endpoint.endsWith('/refund')) return { status: 201, body: orders.refund(id, sent()) }
    if (endpoint.startsWith('GET /v2/payments/captures/')) {
      const { order, capture } = orders.findCapture(id)
      return { status: 200, body: orders.presentCapture(order, capture) }
    }
    const opened = Date.parse(request.query.get('start_time') ?? '')
    if (
      this.enforcesRetention &&
      endpoint === 'GET /v1/customer/disputes' &&
      opened < this.now() - 180 * dayMs
    )
      return refuse(400, 'INVALID_PARAMETER_VALUE')
    if (endpoint === 'GET /v1/customer/disputes')
      return { status: 200, body: orders.listDisputes(request.query) }
    if (endpoint.startsWith('GET /v1/customer/disputes/')) return { status: 200, body: orders.getDispute(id) }
    if (endpoint.startsWith('GET /v3/vault/payment-tokens/'))
      return orders.vault.has(id) ? { status: 200, body: { id } } : refuse(404, 'RESOURCE_NOT_FOUND')
    if (endpoint.startsWith('GET /v3/vault/payment-tokens'))
      return orders.mayVault
        ? { status: 200, body: setups.list(request.query) }
        : refuse(403, 'NOT_AUTHORIZED')
    if (endpoint.startsWith('POST /v3/vault/')) {
      if (request.headers['paypal-request-id'] === undefined) return refuse(400, 'PAYPAL_REQUEST_ID_REQUIRED')
      if (!orders.mayVault) return refuse(403, 'NOT_AUTHORIZED')
      const makes = endpoint.endsWith('setup-tokens')
      return {
        status: 201,
        body: makes ? setups.present(setups.create(sent())) : setups.createPaymentToken(sent()),
      }
    }
    if (endpoint.startsWith('GET /v3/vault/setup-tokens/'))
      return { status: 200, body: setups.present(setups.get(id)) }
    if (endpoint.startsWith('DELETE /v3/vault/payment-tokens/'))
      return orders.vault.delete(id) ? { status: 204 } : refuse(404, 'RESOURCE_NOT_FOUND')
    if (endpoint.startsWith('POST /v1/notifications/verify')) return this.verify(request)
    if (endpoint.startsWith('GET /v1/notifications/webhooks-events')) return this.listEvents(request)
    if (endpoint.startsWith('GET /v1/notifications/webhooks/'))
      return { status: 200, body: { event_types: this.webhookEvents.map((name) => ({ name })) } }
    return refuse(404, 'RESOURCE_NOT_FOUND')
  }

  private verify({ text: sent }: ReceivedRequest): FakeResponse {
    const { transmission_id, transmission_time, transmission_sig, webhook_id } = JSON.parse(sent)
    // The raw bytes of the event, which the signature covers.
    const event = sent.slice(sent.indexOf('"webhook_event":') + '"webhook_event":'.length, -1)
    const right = sign(secret, transmission_id, transmission_time, webhook_id, event) === transmission_sig
    const ours = webhook_id === this.keys.PAYPAL_WEBHOOK_ID
    return { status: 200, body: { verification_status: right && ours ? 'SUCCESS' : 'FAILURE' } }
  }

  /** Lists a page of events, latest first. */
  private listEvents({ query }: ReceivedRequest): FakeResponse {
    const [from = '', to = '9', type] = ['start_time', 'end_time', 'event_type'].map(
      (name) => query.get(name) ?? undefined,
    )
    const listed = new Date(this.now() - this.listingDelayMs).toISOString()
    const found = this.events.filter(
      ({ create_time: at, event_type }) =>
        at >= from && at <= to && at <= listed && (type === undefined || event_type === type),
    )
    if (this.enforcesRetention && Date.parse(from) < this.now() - 30 * dayMs)
      return refuse(400, 'INVALID_PARAMETER_VALUE')
    const start = Number(query.get('page') ?? 0)
    const next = new URLSearchParams(query)
    next.set('page', String(start + pageSize))
    const more = start + pageSize < found.length
    const links = more ? [{ rel: 'next', href: `${this.url}/v1/notifications/webhooks-events?${next}` }] : []
    return { status: 200, body: { events: found.slice(start, start + pageSize), count: found.length, links } }
  }

  /** Serves the page where the user approves or cancels, and then redirects the user to the site. */
  private wallet({ method, query, text: sent }: ReceivedRequest): FakeResponse {
    const token = query.get('token') ?? ''
    const order = this.orders.get(token)
    if (method === 'GET') return { status: 200, html: walletPage(order.request.purchase_units[0]?.amount) }
    const yes = new URLSearchParams(sent).get('answer') === 'yes'
    if (yes) this.orders.approve(token)
    const { return_url = '', cancel_url = '' } = order.request.payment_source.paypal.experience_context ?? {}
    const back = new URL(yes ? return_url : cancel_url)
    back.searchParams.set('token', token)
    if (yes) back.searchParams.set('PayerID', 'FAKEPAYER')
    return { status: 303, location: back.href }
  }

  /** Serves the same page for a wallet that is saved without a payment. */
  private agreement({ method, query, text: sent }: ReceivedRequest): FakeResponse {
    const id = query.get('approval_session_id') ?? ''
    const { return_url, cancel_url } = this.setups.get(id).request.payment_source.paypal.experience_context
    if (method === 'GET') return { status: 200, html: walletPage(undefined) }
    const yes = new URLSearchParams(sent).get('answer') === 'yes'
    if (yes) this.setups.approve(id)
    const back = new URL(yes ? return_url : cancel_url)
    back.searchParams.set('approval_token_id', id)
    return { status: 303, location: back.href }
  }
}
