import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '#server/platform/clock.ts'

/** A value in Stripe's JSON. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined }
export interface Dict {
  [name: string]: Json | undefined
}

/** An error response of Stripe. */
export class StripeApiError extends Error {
  readonly status: number
  readonly error: Dict
  constructor(status: number, error: Dict) {
    super(String(error['message'] ?? error['code']))
    this.status = status
    this.error = error
  }
}

/** Stripe's published test card numbers and their results. Payments with other numbers succeed. */
export const cards: Record<
  string,
  { code: string; decline_code?: string } | 'asks always' | 'asks once' | 'later'
> = {
  '4000000000000002': { code: 'card_declined', decline_code: 'generic_decline' },
  '4000000000009995': { code: 'card_declined', decline_code: 'insufficient_funds' },
  '4000000000009987': { code: 'card_declined', decline_code: 'lost_card' },
  '4000000000000069': { code: 'expired_card', decline_code: 'expired_card' },
  '4000000000000127': { code: 'incorrect_cvc', decline_code: 'incorrect_cvc' },
  '4000002760003184': 'asks always',
  '4000000000003220': 'asks once',
  // At Stripe, this card can be saved, but every payment with it fails. Here, the first payment succeeds, so that a
  // renewal can fail.
  '4000000000000341': 'later',
}

interface Intent {
  id: string
  created: number
  amount: number
  currency: string
  customer: string | null
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  client_secret: string
  metadata: Dict
  setup_future_usage: string | null
  payment_method: string | null
  last_payment_error: Dict | null
  cancellation_reason: string | null
  charge: { id: string; refunded: number; disputed: boolean } | null
}

export interface Method {
  id: string
  number: string
  customer: string | null
}

interface Refund {
  id: string
  payment_intent: string
  amount: number
  currency: string
  metadata: Dict
  status: string
  created: number
}

export const newId = (kind: string) => `${kind}_${randomBytes(12).toString('hex')}`
const invalidRequest = (code: string, message: string, param?: string) =>
  new StripeApiError(400, { type: 'invalid_request_error', code, message, ...(param ? { param } : {}) })
export const resourceMissing = (id: string, param: string) =>
  new StripeApiError(param === 'intent' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${param}: '${id}'`,
    param,
  })

/** Stripe's records of one account, with the rules that matter to the site. */
export class FakeStripeStore {
  readonly intents = new Map<string, Intent>()
  readonly customers = new Map<string, Dict>()
  readonly refunds: Refund[] = []
  readonly methods = new Map<string, Method>()
  /** True if lists should omit disputes. */
  hidesDisputes = false
  private readonly disputes = new Map<string, Dict>()
  private readonly clock: Clock
  private readonly emitEvent: (type: string, object: Dict) => void

  constructor(clock: Clock, emitEvent: (type: string, object: Dict) => void) {
    this.clock = clock
    this.emitEvent = emitEvent
  }

  private now = () => Math.floor(this.clock.now().getTime() / 1000)

  createCustomer({ email, name, metadata }: Dict): Dict {
    if (!/^[!-~]+@[\w-]+(\.[\w-]+)+$/.test(String(email)))
      throw invalidRequest('email_invalid', `Invalid email address: ${String(email)}`, 'email')
    const id = newId('cus')
    const customer = { id, object: 'customer', email, name: name ?? null, metadata: metadata ?? {} }
    this.customers.set(id, customer)
    return customer
  }

  readCustomer(id: string): Dict {
    const customer = this.customers.get(id)
    if (!customer) throw resourceMissing(id, 'id')
    return customer
  }

  /** Deletes a customer and detaches its cards. */
  deleteCustomer(id: string): Dict {
    if (!this.customers.delete(id)) throw resourceMissing(id, 'intent')
    for (const method of this.methods.values()) if (method.customer === id) method.customer = null
    this.emitEvent('customer.deleted', { id, object: 'customer' })
    return { id, object: 'customer', deleted: true }
  }

  /** Returns the ids of the cards that can be charged. */
  get attachedMethodIds(): string[] {
    return [...this.methods.values()].filter(({ customer }) => customer !== null).map(({ id }) => id)
  }

  createIntent(params: Dict): Dict {
    const amount = Number(params['amount'])
    const customer = params['customer'] === undefined ? null : String(params['customer'])
    if (customer !== null && !this.customers.has(customer)) throw resourceMissing(customer, 'customer')
    if (amount < 50 && params['currency'] === 'usd')
      throw invalidRequest('amount_too_small', 'Amount must be at least $0.50 usd', 'amount')
    const id = newId('pi')
    const intent: Intent = {
      id,
      created: this.now(),
      amount,
      currency: String(params['currency']),
      customer,
      status: 'requires_payment_method',
      client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
      metadata: dictOf(params['metadata']),
      setup_future_usage:
        params['setup_future_usage'] === undefined ? null : String(params['setup_future_usage']),
      payment_method: null,
      last_payment_error: null,
      cancellation_reason: null,
      charge: null,
    }
    const method = params['confirm'] === 'true' ? this.attachedMethod(params, customer) : undefined
    this.intents.set(id, intent)
    if (method) this.charge(intent, method, params['off_session'] === 'true' ? 'absent' : 'authenticated')
    return this.presentIntent(intent)
  }

  private attachedMethod({ payment_method: id }: Dict, customer: string | null): Method {
    const method = this.methods.get(String(id))
    if (!method || method.customer === null || method.customer !== customer)
      throw resourceMissing(String(id), 'payment_method')
    return method
  }

  intent(id: string): Intent {
    const intent = this.intents.get(id)
    if (!intent) throw resourceMissing(id, 'intent')
    return intent
  }

  /** Confirms a PaymentIntent with the typed card, as Stripe's script does. */
  confirm(id: string, params: Dict): Dict {
    const intent = this.intent(id)
    if (params['client_secret'] !== intent.client_secret) throw resourceMissing(id, 'intent')
    if (!['requires_payment_method', 'requires_action'].includes(intent.status)) throw this.unexpected(intent)
    const number = String(dictOf(dictOf(params['payment_method_data'])['card'])['number'])
    const method: Method = { id: newId('pm'), number, customer: null }
    this.methods.set(method.id, method)
    this.charge(intent, method, 'present')
    return this.presentIntent(intent)
  }

  /**
   * Charges a card. `customerPresence` is `authenticated` if the customer is present and the card was authenticated when
   * it was saved.
   */
  private charge(
    intent: Intent,
    method: Method,
    customerPresence: 'present' | 'authenticated' | 'absent',
  ): void {
    const cardBehaviour = cards[method.number]
    Object.assign(intent, { payment_method: method.id, last_payment_error: null })
    if (typeof cardBehaviour === 'object') throw this.decline(intent, cardBehaviour)
    if (customerPresence !== 'present' && cardBehaviour === 'later')
      throw this.decline(intent, { code: 'card_declined', decline_code: 'generic_decline' })
    if (customerPresence === 'absent' && cardBehaviour === 'asks always')
      throw this.decline(intent, { code: 'authentication_required', decline_code: 'authentication_required' })
    if (
      cardBehaviour === 'asks always' ||
      (customerPresence === 'present' && cardBehaviour === 'asks once')
    ) {
      intent.status = 'requires_action'
      this.emitEvent('payment_intent.requires_action', this.presentIntent(intent))
    } else this.succeed(intent)
  }

  private decline(intent: Intent, errorFields: Dict): StripeApiError {
    const error = { type: 'card_error', message: 'Your card was declined.', ...errorFields }
    Object.assign(intent, { status: 'requires_payment_method', last_payment_error: error })
    this.emitEvent('payment_intent.payment_failed', this.presentIntent(intent))
    return new StripeApiError(402, { ...error, payment_intent: this.presentIntent(intent) })
  }

  private succeed(intent: Intent): void {
    Object.assign(intent, { status: 'succeeded', charge: { id: newId('ch'), refunded: 0, disputed: false } })
    const method = this.methods.get(intent.payment_method ?? '')
    if (method && intent.setup_future_usage !== null) method.customer = intent.customer
    this.emitEvent('payment_intent.succeeded', this.presentIntent(intent))
  }

  /** Responds to the bank's 3-D Secure challenge. Does nothing if no challenge is pending. */
  answerChallenge(id: string, answer: 'yes' | 'no'): Dict {
    const intent = this.intent(id)
    if (intent.status === 'requires_action')
      if (answer === 'yes') this.succeed(intent)
      else this.decline(intent, { code: 'payment_intent_authentication_failure' })
    return this.presentIntent(intent)
  }

  cancel(id: string, { cancellation_reason: reason }: Dict): Dict {
    const intent = this.intent(id)
    if (intent.status === 'succeeded' || intent.status === 'canceled') throw this.unexpected(intent)
    Object.assign(intent, { status: 'canceled', cancellation_reason: reason ?? null })
    this.emitEvent('payment_intent.canceled', this.presentIntent(intent))
    return this.presentIntent(intent)
  }

  private unexpected(intent: Intent): StripeApiError {
    const message = `This PaymentIntent has a status of ${intent.status}.`
    return new StripeApiError(400, {
      type: 'invalid_request_error',
      code: 'payment_intent_unexpected_state',
      message,
      payment_intent: this.presentIntent(intent),
    })
  }

  listIntents(params: Dict): Dict {
    const { gte, lte } = dictOf(params['created'])
    const found = [...this.intents.values()].filter(
      ({ created }) => created >= Number(gte ?? 0) && created <= Number(lte ?? Infinity),
    )
    return paginate(found.toReversed(), params, (intent) => this.presentIntent(intent))
  }

  refund(params: Dict): Dict {
    const intent = this.intent(String(params['payment_intent']))
    const amount = Number(params['amount'])
    const refundable = intent.charge ? intent.amount - intent.charge.refunded : 0
    if (['needs_response', 'lost'].includes(String(this.disputes.get(intent.id)?.['status'])))
      throw invalidRequest('charge_disputed', 'The charge has been disputed.')
    if (!intent.charge || refundable === 0)
      throw invalidRequest('charge_already_refunded', 'The charge has already been refunded.')
    if (amount > refundable)
      throw invalidRequest(
        'amount_too_large',
        `Refund amount is greater than unrefunded amount (${refundable})`,
      )
    intent.charge.refunded += amount
    const refund: Refund = {
      id: newId('re'),
      payment_intent: intent.id,
      amount,
      currency: intent.currency,
      metadata: dictOf(params['metadata']),
      status: 'succeeded',
      created: this.now(),
    }
    this.refunds.push(refund)
    this.emitEvent('charge.refunded', this.presentCharge(intent))
    return { object: 'refund', ...refund }
  }

  /** Makes the refunds of a payment fail, as if the bank had sent them back: the account gets the money again. */
  failRefunds(id: string): void {
    const { charge } = this.intent(id)
    for (const refund of this.refunds) {
      if (refund.payment_intent !== id || refund.status === 'failed' || !charge) continue
      refund.status = 'failed'
      charge.refunded -= refund.amount
      this.emitEvent('refund.failed', { object: 'refund', ...refund })
    }
  }

  listRefunds(params: Dict): Dict {
    const found = this.refunds.filter((refund) => matchesQuery(refund, params))
    return paginate(found.toReversed(), params, (refund) => ({ object: 'refund', ...refund }))
  }

  detach(id: string): Dict {
    const method = this.methods.get(id)
    if (!method) throw resourceMissing(id, 'intent')
    if (method.customer === null)
      throw invalidRequest(
        'payment_method_unexpected_state',
        'The payment method is not attached to a customer.',
      )
    method.customer = null
    this.emitEvent('payment_method.detached', this.presentMethod(id))
    return this.presentMethod(id)
  }

  presentMethod(id: string): Dict {
    const method = this.methods.get(id)
    if (!method) throw resourceMissing(id, 'intent')
    return {
      id,
      object: 'payment_method',
      type: 'card',
      customer: method.customer,
      card: presentCard(method),
    }
  }

  /** Opens a dispute about a payment, or decides an open dispute. */
  dispute(id: string, status: 'warning_needs_response' | 'needs_response' | 'won' | 'lost'): void {
    const intent = this.intent(id)
    if (!intent.charge) throw new Error(`${id} has no charge`)
    intent.charge.disputed = true
    const dispute = {
      id: newId('dp'),
      object: 'dispute',
      payment_intent: id,
      amount: intent.amount - intent.charge.refunded,
      currency: intent.currency,
      status,
      created: this.now(),
    }
    this.disputes.set(id, { ...dispute, ...this.disputes.get(id), status })
    const type = status.endsWith('needs_response') ? 'charge.dispute.created' : 'charge.dispute.closed'
    this.emitEvent(type, dictOf(this.disputes.get(id)))
  }

  listDisputes(params: Dict): Dict {
    const all = this.hidesDisputes ? [] : [...this.disputes.values()]
    const found = all.filter((dispute) => matchesQuery(dispute, params))
    return paginate(found.toReversed(), params, (dispute) => dispute)
  }

  presentCharge({ id, charge, amount, currency, payment_method }: Intent): Dict {
    const card = presentCard(this.methods.get(payment_method ?? ''))
    return {
      id: charge?.id,
      object: 'charge',
      amount,
      amount_refunded: charge?.refunded ?? 0,
      currency,
      disputed: charge?.disputed ?? false,
      payment_intent: id,
      payment_method_details: { type: 'card', card },
    }
  }

  presentIntent(intent: Intent): Dict {
    const { charge, ...rest } = intent
    return {
      object: 'payment_intent',
      ...rest,
      latest_charge: charge && this.presentCharge(intent),
      next_action: intent.status === 'requires_action' ? { type: 'use_stripe_sdk' } : null,
    }
  }
}

function presentCard({ number }: Pick<Method, 'number'> = { number: '' }): Dict {
  return {
    brand: number.startsWith('5') ? 'mastercard' : 'visa',
    last4: number.slice(-4),
    exp_month: 12,
    exp_year: 2040,
    fingerprint: createHash('sha256').update(number).digest('hex').slice(0, 16),
  }
}

/** Returns whether a refund or a dispute matches the filters by payment and by time of creation. */
function matchesQuery(
  { payment_intent, created }: { payment_intent?: Json; created?: Json },
  params: Dict,
): boolean {
  const since = Number(dictOf(params['created'])['gte'] ?? 0)
  return Number(created) >= since && (params['payment_intent'] ?? payment_intent) === payment_intent
}

export function paginate<T extends { id?: Json }>(found: T[], params: Dict, present: (one: T) => Dict): Dict {
  const start = found.findIndex(({ id }) => id === params['starting_after']) + 1
  const limit = Number(params['limit'] ?? 10)
  const data = found.slice(start, start + limit).map(present)
  return { object: 'list', data, has_more: found.length > start + limit }
}

export function dictOf(value: Json | undefined): Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
