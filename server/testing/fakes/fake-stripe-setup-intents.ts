import { randomBytes } from 'node:crypto'
import {
  cards,
  dictOf,
  resourceMissing,
  newId,
  paginate,
  StripeApiError,
  type Dict,
  type FakeStripeStore,
} from './fake-stripe-store.ts'

interface SetupIntent {
  id: string
  created: number
  customer: string
  usage: string
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  client_secret: string
  metadata: Dict
  payment_method: string | null
  last_setup_error: Dict | null
  cancellation_reason: string | null
}

/** Stripe's SetupIntents, which save a card without a payment. */
export class FakeSetupIntents {
  readonly all = new Map<string, SetupIntent>()
  private readonly store: FakeStripeStore
  private readonly now: () => number
  private readonly emitEvent: (type: string, object: Dict) => void

  constructor(store: FakeStripeStore, now: () => number, emitEvent: (type: string, object: Dict) => void) {
    this.store = store
    this.now = now
    this.emitEvent = emitEvent
  }

  create(params: Dict): Dict {
    const customer = String(params['customer'])
    if (!this.store.customers.has(customer)) throw resourceMissing(customer, 'customer')
    const id = newId('seti')
    const setup: SetupIntent = {
      id,
      created: this.now(),
      customer,
      usage: String(params['usage'] ?? 'off_session'),
      status: 'requires_payment_method',
      client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
      metadata: dictOf(params['metadata']),
      payment_method: null,
      last_setup_error: null,
      cancellation_reason: null,
    }
    this.all.set(id, setup)
    return present(setup)
  }

  get(id: string): SetupIntent {
    const setup = this.all.get(id)
    if (!setup) throw resourceMissing(id, 'intent')
    return setup
  }

  /** Returns a SetupIntent. It includes the card if the request expands `payment_method`. */
  read(id: string, { expand }: Dict): Dict {
    const setup = this.get(id)
    const whole = JSON.stringify(expand ?? null).includes('payment_method') && setup.payment_method !== null
    return {
      ...present(setup),
      ...(whole ? { payment_method: this.store.presentMethod(setup.payment_method ?? '') } : {}),
    }
  }

  list(params: Dict): Dict {
    const { gte, lte } = dictOf(params['created'])
    const found = [...this.all.values()].filter(
      ({ created }) => created >= Number(gte ?? 0) && created <= Number(lte ?? Infinity),
    )
    return paginate(found.toReversed(), params, present)
  }

  /** Confirms a SetupIntent with the typed card, as Stripe's script does. */
  confirm(id: string, params: Dict): Dict {
    const setup = this.get(id)
    if (params['client_secret'] !== setup.client_secret) throw resourceMissing(id, 'intent')
    if (!['requires_payment_method', 'requires_action'].includes(setup.status)) throw unexpected(setup)
    const number = String(dictOf(dictOf(params['payment_method_data'])['card'])['number'])
    const method = { id: newId('pm'), number, customer: null }
    this.store.methods.set(method.id, method)
    Object.assign(setup, { payment_method: method.id, last_setup_error: null })
    const cardBehaviour = cards[number]
    if (typeof cardBehaviour === 'object') throw this.decline(setup, cardBehaviour)
    if (cardBehaviour === 'asks always' || cardBehaviour === 'asks once') {
      setup.status = 'requires_action'
      this.emitEvent('setup_intent.requires_action', present(setup))
    } else this.succeed(setup)
    return present(setup)
  }

  /** Responds to the bank's 3-D Secure challenge. Does nothing if no challenge is pending. */
  answerChallenge(id: string, answer: 'yes' | 'no'): Dict {
    const setup = this.get(id)
    if (setup.status === 'requires_action')
      if (answer === 'yes') this.succeed(setup)
      else this.decline(setup, { code: 'setup_intent_authentication_failure' })
    return present(setup)
  }

  private succeed(setup: SetupIntent): void {
    setup.status = 'succeeded'
    const method = this.store.methods.get(setup.payment_method ?? '')
    if (method) method.customer = setup.customer
    this.emitEvent('setup_intent.succeeded', present(setup))
  }

  private decline(setup: SetupIntent, errorFields: Dict): StripeApiError {
    const error = { type: 'card_error', message: 'Your card was declined.', ...errorFields }
    Object.assign(setup, {
      status: 'requires_payment_method',
      payment_method: null,
      last_setup_error: error,
    })
    this.emitEvent('setup_intent.setup_failed', present(setup))
    return new StripeApiError(402, { ...error, setup_intent: present(setup) })
  }

  cancel(id: string, { cancellation_reason: reason }: Dict): Dict {
    const setup = this.get(id)
    if (setup.status === 'succeeded' || setup.status === 'canceled') throw unexpected(setup)
    Object.assign(setup, { status: 'canceled', cancellation_reason: reason ?? null })
    this.emitEvent('setup_intent.canceled', present(setup))
    return present(setup)
  }
}

function unexpected(setup: SetupIntent): StripeApiError {
  return new StripeApiError(400, {
    type: 'invalid_request_error',
    code: 'setup_intent_unexpected_state',
    message: `This SetupIntent has a status of ${setup.status}.`,
    setup_intent: present(setup),
  })
}

function present(setup: SetupIntent): Dict {
  return {
    object: 'setup_intent',
    ...setup,
    next_action: setup.status === 'requires_action' ? { type: 'use_stripe_sdk' } : null,
  }
}
