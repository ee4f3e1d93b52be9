import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { NetworkFault } from '#server/features/billing/gateways/contract-tests/gateway-harness.ts'
import { systemClock, type Clock } from '#server/platform/clock.ts'
import { FakeStripeIdempotency } from './fake-stripe-idempotency.ts'
import { FakeSetupIntents } from './fake-stripe-setup-intents.ts'
import { dictOf, FakeStripeStore, StripeApiError, type Dict, type Json } from './fake-stripe-store.ts'

const publicUrl = 'http://localhost:3000'
const secrets = { secretKey: 'sk_test_fake', publishableKey: 'pk_test_fake', webhookSecrets: ['whsec_fake'] }

/**
 * A fake of Stripe's HTTP API for tests and local trials. Implements the calls of the site and of Stripe's script, and
 * sends signed webhook events.
 */
export interface FakeStripe {
  url: string
  settings: typeof secrets & { apiBase: string; publicUrl: string }
  /** `settings` as environment variables. */
  env: Record<string, string>
  store: FakeStripeStore
  setups: FakeSetupIntents
  /** All events, latest last, including those that were not sent. */
  events: { id: string; type: string; object: Dict }[]
  /** The account's webhook endpoints. */
  webhooks: { url: string; status: string; enabled_events: string[] }[]
  /** URL to which signed events are sent; undefined to send none. */
  webhookUrl: string | undefined
  /** Number of distinct requests for each idempotency key. */
  keys: Map<string, number>
  /** All requests, for tests to inspect. */
  requests: { method: string; path: string; params: Dict }[]
  /** Confirms a payment with the typed card, as Stripe's script does in the browser. @returns the HTTP status */
  confirm(clientSecret: string, cardNumber: string): Promise<number>
  /** Signs an event as Stripe does. */
  sign(
    event: object,
    more?: { secret?: string; ageSeconds?: number },
  ): {
    body: Buffer
    headers: Record<string, string>
  }
  /**
   * Injects a fault into requests that create a payment, a card set-up or a refund. A function can choose a fault for
   * each request.
   * @returns a function that removes the fault
   */
  fail(fault: NetworkFault | (() => NetworkFault)): () => void
  /** While true, all requests are dropped. */
  isDown: boolean
  /** Deletes the stored idempotency keys, as Stripe does after a day. */
  clearIdempotencyKeys(): void
  close(): Promise<void>
}

/**
 * The allowed parameters of each request. Other parameters are refused, as the pinned API version refuses parameters
 * that were removed.
 */
const parameters: Record<string, string> = {
  'POST /v1/customers': 'email name metadata',
  'GET /v1/customers/{id}': '',
  'DELETE /v1/customers/{id}': '',
  'POST /v1/payment_intents':
    'amount currency customer allowed_payment_method_types setup_future_usage metadata payment_method off_session confirm use_stripe_sdk expand',
  'GET /v1/payment_intents': 'created limit starting_after expand',
  'GET /v1/payment_intents/{id}': 'expand key client_secret',
  'POST /v1/payment_intents/{id}/confirm': 'key client_secret payment_method_data',
  // The bank's page sends this request. In reality, the page is on another host.
  'POST /v1/payment_intents/{id}/answer': 'key client_secret answer',
  'POST /v1/payment_intents/{id}/cancel': 'cancellation_reason',
  'POST /v1/setup_intents': 'customer allowed_payment_method_types usage metadata expand',
  'GET /v1/setup_intents': 'created limit starting_after expand',
  'GET /v1/setup_intents/{id}': 'expand key client_secret',
  'POST /v1/setup_intents/{id}/confirm': 'key client_secret payment_method_data',
  // The bank's page sends this request, as for payments.
  'POST /v1/setup_intents/{id}/answer': 'key client_secret answer',
  'POST /v1/setup_intents/{id}/cancel': 'cancellation_reason',
  'POST /v1/refunds': 'payment_intent amount reason metadata',
  'GET /v1/refunds': 'payment_intent created limit starting_after',
  'POST /v1/payment_methods/{id}/detach': '',
  'GET /v1/payment_methods/{id}': '',
  'GET /v1/disputes': 'payment_intent created limit starting_after',
  'GET /v1/webhook_endpoints': 'limit starting_after',
}

export async function startFakeStripe(clock: Clock = systemClock, port = 0): Promise<FakeStripe> {
  const events: FakeStripe['events'] = []
  const idempotency = new FakeStripeIdempotency(clock)
  const requests: FakeStripe['requests'] = []
  const emitEvent = (type: string, object: Dict) => {
    const event = { id: `evt_${randomBytes(12).toString('hex')}`, type, object: structuredClone(object) }
    events.push(event)
    if (fake.webhookUrl === undefined) return
    const { body, headers } = fake.sign({
      id: event.id,
      object: 'event',
      type,
      data: { object: event.object },
    })
    // Ignores the result: a webhook endpoint that does not respond gets no retry.
    fetch(fake.webhookUrl, { method: 'POST', body: body.toString(), headers }).catch(() => {})
  }
  const store = new FakeStripeStore(clock, emitEvent)
  const setups = new FakeSetupIntents(store, () => Math.floor(clock.now().getTime() / 1000), emitEvent)
  let activeFault: { next: () => NetworkFault; over: Promise<void> } | undefined

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString()
    const { method = '', headers } = request
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe')
    const params = parseNestedForm(method === 'GET' ? searchParams : new URLSearchParams(body))
    const [, , kind = '', id = '', verb = ''] = pathname.split('/')
    const call = `${method} /v1/${[kind, id && '{id}', verb].filter(Boolean).join('/')}`
    requests.push({ method, path: pathname, params })
    if (fake.isDown) return void request.socket.destroy()
    const isMutation = ['payment_intents', 'setup_intents', 'refunds'].includes(call.replace('POST /v1/', ''))
    const fault =
      isMutation && activeFault ? { fault: activeFault.next(), over: activeFault.over } : undefined
    if (fault?.fault === 'dropped before') return void request.socket.destroy()
    if (fault?.fault === '429')
      return send(response, 429, { error: { type: 'invalid_request_error', code: 'rate_limit' } })
    const work = () => {
      checkRequest(call, headers, params)
      return withoutExpansions(routeCall(fake, call, id, params), params)
    }
    const key = method === 'POST' ? headers['idempotency-key']?.toString() : undefined
    const answer = await idempotency.run(key, `${call} ${id} ${body}`, work, fault)
    if (fault?.fault === 'dropped after') return void request.socket.destroy()
    send(response, answer.status, answer.body)
  }

  // Does not close idle connections, because a client on a slow machine may be about to use one.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  // The cast is safe: a listening TCP server has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeStripe = {
    url,
    webhookUrl: undefined,
    settings: { ...secrets, apiBase: url, publicUrl },
    webhooks: [{ url: `${publicUrl}/api/webhook/payment/stripe`, status: 'enabled', enabled_events: ['*'] }],
    env: {
      STRIPE_SECRET_KEY: secrets.secretKey,
      STRIPE_PUBLISHABLE_KEY: secrets.publishableKey,
      STRIPE_WEBHOOK_SECRET: secrets.webhookSecrets.join(','),
      STRIPE_API_BASE: url,
    },
    store,
    setups,
    events,
    keys: idempotency.keys,
    requests,
    confirm: (clientSecret, cardNumber) => confirmAsBrowser(url, clientSecret, cardNumber),
    sign: (event, more) => signEvent(clock, event, more),
    fail(fault) {
      const { promise, resolve } = Promise.withResolvers<void>()
      activeFault = { next: typeof fault === 'function' ? fault : () => fault, over: promise }
      return () => {
        activeFault = undefined
        resolve()
      }
    },
    isDown: false,
    clearIdempotencyKeys: () => idempotency.clear(),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return fake
}

async function confirmAsBrowser(url: string, clientSecret: string, cardNumber: string): Promise<number> {
  const body = new URLSearchParams({
    key: secrets.publishableKey,
    client_secret: clientSecret,
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': cardNumber,
  })
  const [id = ''] = clientSecret.split('_secret_')
  const kind = id.startsWith('seti_') ? 'setup_intents' : 'payment_intents'
  return (await fetch(`${url}/v1/${kind}/${id}/confirm`, { method: 'POST', body })).status
}

function signEvent(
  clock: Clock,
  event: object,
  { secret = secrets.webhookSecrets[0] ?? '', ageSeconds = 0 }: { secret?: string; ageSeconds?: number } = {},
): ReturnType<FakeStripe['sign']> {
  const body = JSON.stringify(event)
  const time = Math.floor(clock.now().getTime() / 1000) - ageSeconds
  const mac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return { body: Buffer.from(body), headers: { 'stripe-signature': `t=${time},v1=${mac}` } }
}

type RouteTargets = Pick<FakeStripe, 'store' | 'setups' | 'webhooks'>

function routeCall({ store, setups, webhooks }: RouteTargets, call: string, id: string, params: Dict): Dict {
  switch (call) {
    case 'GET /v1/webhook_endpoints':
      return {
        object: 'list',
        data: webhooks.map((one) => ({ object: 'webhook_endpoint', ...one })),
        has_more: false,
      }
    case 'POST /v1/setup_intents':
      return setups.create(params)
    case 'GET /v1/setup_intents':
      return setups.list(params)
    case 'GET /v1/setup_intents/{id}':
      return setups.read(id, params)
    case 'POST /v1/setup_intents/{id}/confirm':
      return setups.confirm(id, params)
    case 'POST /v1/setup_intents/{id}/answer':
      return setups.answerChallenge(id, params['answer'] === 'yes' ? 'yes' : 'no')
    case 'POST /v1/setup_intents/{id}/cancel':
      return setups.cancel(id, params)
    case 'POST /v1/customers':
      return store.createCustomer(params)
    case 'GET /v1/customers/{id}':
      return store.readCustomer(id)
    case 'DELETE /v1/customers/{id}':
      return store.deleteCustomer(id)
    case 'POST /v1/payment_intents':
      return store.createIntent(params)
    case 'GET /v1/payment_intents':
      return store.listIntents(params)
    case 'GET /v1/payment_intents/{id}':
      return store.presentIntent(store.intent(id))
    case 'POST /v1/payment_intents/{id}/confirm':
      return store.confirm(id, params)
    case 'POST /v1/payment_intents/{id}/answer':
      return store.answerChallenge(id, params['answer'] === 'yes' ? 'yes' : 'no')
    case 'POST /v1/payment_intents/{id}/cancel':
      return store.cancel(id, params)
    case 'POST /v1/refunds':
      return store.refund(params)
    case 'GET /v1/refunds':
      return store.listRefunds(params)
    case 'GET /v1/payment_methods/{id}':
      return store.presentMethod(id)
    case 'POST /v1/payment_methods/{id}/detach':
      return store.detach(id)
    default:
      return store.listDisputes(params)
  }
}

/** Replaces the charge of a payment by its id, unless the request expands `latest_charge`. */
function withoutExpansions(answer: Dict, { expand }: Dict): Dict {
  if (JSON.stringify(expand ?? null).includes('latest_charge')) return answer
  const byName = (object: Dict) => ({
    ...object,
    latest_charge: dictOf(object['latest_charge'])['id'] ?? null,
  })
  if (answer['object'] === 'payment_intent') return byName(answer)
  const { data } = answer
  return Array.isArray(data) ? { ...answer, data: data.map((one) => byName(dictOf(one))) } : answer
}

/** Checks the API key, API version and parameters of a request. */
function checkRequest(call: string, headers: IncomingMessage['headers'], params: Dict): void {
  const known = parameters[call]
  const refuse = (status: number, code: string, message: string) =>
    new StripeApiError(status, { type: 'invalid_request_error', code, message })
  if (known === undefined) throw refuse(404, 'url_invalid', `Unrecognized request URL (${call})`)
  const isFromBrowser = params['client_secret'] !== undefined
  const authorized = isFromBrowser
    ? params['key'] === secrets.publishableKey
    : headers.authorization === `Bearer ${secrets.secretKey}`
  if (!authorized) throw refuse(401, 'api_key_invalid', 'Invalid API Key provided')
  if (!isFromBrowser && headers['stripe-version'] !== '2026-10-28.endive')
    throw refuse(400, 'version_unknown', `Invalid Stripe API version: ${headers['stripe-version']}`)
  const unknown = Object.keys(params).find((name) => !known.split(' ').includes(name))
  if (unknown) throw refuse(400, 'parameter_unknown', `Received unknown parameter: ${unknown}`)
}

function send(response: ServerResponse, status: number, body: Dict): void {
  response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
  response.end(JSON.stringify(body))
}

/** Parses a form such as `a[b][c]=1&d[]=2` into a nested object. */
function parseNestedForm(form: URLSearchParams): Dict {
  const whole: Dict = {}
  for (const [name, value] of form) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '')
    const last = path.pop() ?? ''
    let place: { [name: string]: Json | undefined } = whole
    for (const part of path) place = (place[part] ??= {}) as typeof place
    place[last] = value
  }
  return whole
}
