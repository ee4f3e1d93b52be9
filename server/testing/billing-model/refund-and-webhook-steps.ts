import { failRefunds } from '#server/features/billing/gateways/sandbox/queries.ts'
import { simulateDispute } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import type { DisputeStatus } from '#server/features/billing/tables.ts'
import type { BillingHarness, Fault } from './billing-harness.ts'
import type { Model } from './model.ts'
import { deliverLateRequests, deliverWebhook } from './advance-time.ts'
import { outcomeOf, Step } from './step.ts'
import { faultSuffix, withFault } from './with-fault.ts'

/** Refunds an order as the operator: the amount that is not refunded yet, or half of it. */
export class Refund extends Step {
  readonly number: number
  readonly part: boolean
  readonly fault: Fault
  constructor({ number, part, fault }: { number: number; part: boolean; fault: Fault }) {
    super()
    this.number = number
    this.part = part
    this.fault = fault
  }
  override check({ books }: Readonly<Model>): boolean {
    return books.orders.some(({ paid_at }) => paid_at !== null)
  }
  describe(): string {
    return `the operator refunds ${this.part ? 'half of an order' : 'an order'}${faultSuffix(this.fault)}`
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const paid = model.books.orders.filter(({ paid_at }) => paid_at !== null)
    const order = paid[this.number % paid.length]
    if (!order) return 'nothing'
    const refundableCents = order.amount_cents - order.refunded_cents
    const part = this.part ? { amountCents: Math.max(1, Math.floor(refundableCents / 2)) } : {}
    const answer = await withFault(harness, model, this.fault, () =>
      outcomeOf(() => refundOrder(harness.context, order.id, { ...part, reason: 'goodwill' })),
    )
    return `${model.nameOf(order.id)}, ${answer}`
  }
}

type Payments = Model['books']['payments']

/** A change of a payment at the gateway. The site gets a webhook event about it, or none. */
abstract class GatewayEventStep extends Step {
  readonly number: number
  constructor(number: number) {
    super()
    this.number = number
  }
  abstract isEligible(payment: Payments[number], model: Readonly<Model>): boolean
  abstract applyAtGateway(harness: BillingHarness, payment: Payments[number]): Promise<void>
  private eligiblePayments(model: Readonly<Model>): Payments {
    return model.books.payments.filter(
      (payment) => payment.status === 'succeeded' && this.isEligible(payment, model),
    )
  }
  override check(model: Readonly<Model>): boolean {
    return this.eligiblePayments(model).length > 0
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const eligible = this.eligiblePayments(model)
    const payment = eligible[this.number % eligible.length]
    if (!payment) return 'nothing'
    await this.applyAtGateway(harness, payment)
    return model.nameOf(payment.orderId)
  }
}

let refunds = 0

/** Refunds a payment in the gateway's dashboard, without the site. */
export class RefundAtGateway extends GatewayEventStep {
  readonly part: boolean
  constructor({ number, part }: { number: number; part: boolean }) {
    super(number)
    this.part = part
  }
  describe(): string {
    return `somebody refunds ${this.part ? 'half of a payment' : 'a payment'} at the gateway`
  }
  isEligible(payment: Payments[number]): boolean {
    return payment.amountCents > payment.refundedCents && !isDisputeOpenOrLost(payment)
  }
  applyAtGateway({ gateway }: BillingHarness, { reference, amountCents, refundedCents }: Payments[number]) {
    const refundableCents = amountCents - refundedCents
    const cents = this.part ? Math.max(1, Math.floor(refundableCents / 2)) : refundableCents
    return gateway.refundPayment({ reference, amountCents: cents, key: `there ${++refunds}` })
  }
}

/** Makes the bank send back the refunds of a payment. */
export class FailRefunds extends GatewayEventStep {
  describe(): string {
    return 'the bank sends the refunds of a payment back'
  }
  /** Skips payments that bought nothing: if their refund fails, the operator must handle them. */
  isEligible({ refundedCents, attemptId }: Payments[number], { books }: Readonly<Model>): boolean {
    const isReturn = books.lines.some(
      ({ transaction_id, account }) =>
        transaction_id === `charge:${attemptId}` && account === 'refunds_payable',
    )
    const isKnown = books.lines.some(({ transaction_id }) => transaction_id === `charge:${attemptId}`)
    return refundedCents > 0 && isKnown && !isReturn
  }
  async applyAtGateway({ db, sandbox, now }: BillingHarness, { reference }: Payments[number]) {
    await failRefunds(db, reference, new Date(now()))
    sandbox.notify(reference)
  }
}

/** Opens a dispute about a payment, or decides an open dispute. */
export class Dispute extends GatewayEventStep {
  readonly to: DisputeStatus
  constructor({ number, to }: { number: number; to: DisputeStatus }) {
    super(number)
    this.to = to
  }
  describe(): string {
    return this.to === 'open' ? 'a payment is disputed' : `a dispute is ${this.to}`
  }
  isEligible({ amountCents, refundedCents, dispute: disputed }: Payments[number]): boolean {
    return this.to === 'open' ? disputed === undefined && amountCents > refundedCents : disputed === 'open'
  }
  applyAtGateway({ sandbox }: BillingHarness, { reference }: Payments[number]) {
    return simulateDispute(sandbox, reference, this.to)
  }
}

/** Delivers a webhook event to the site, for the first time or again. */
export class DeliverWebhook extends Step {
  readonly number: number
  readonly stops: boolean
  constructor({ number, stops }: { number: number; stops: boolean }) {
    super()
    this.number = number
    this.stops = stops
  }
  override check({ line }: Readonly<Model>): boolean {
    return line.events.length > 0
  }
  describe(): string {
    return `an event is delivered${this.stops ? ', and the site stops before it is applied' : ''}`
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const event = harness.events[this.number % harness.events.length]
    if (!event) return 'there is none'
    const again = event.delivered ? ', again' : ''
    await deliverWebhook(harness, event, this.stops)
    const payment = model.books.payments.find(({ reference }) => reference === event.reference)
    return `${payment ? model.nameOf(payment.orderId) : 'no payment'}${again}`
  }
}

/** Delivers all pending webhook events concurrently, or drops them. */
export class DeliverAllWebhooks extends Step {
  readonly arrives: boolean
  constructor(arrives: boolean) {
    super()
    this.arrives = arrives
  }
  override check({ line }: Readonly<Model>): boolean {
    return line.events.some(({ delivered, dropped }) => !delivered && !dropped)
  }
  describe(): string {
    return this.arrives ? 'all events are delivered at the same time' : 'all events so far are lost'
  }
  async act(harness: BillingHarness): Promise<string> {
    const open = harness.events.filter(({ delivered, dropped }) => !delivered && !dropped)
    if (this.arrives) await Promise.all(open.map((event) => deliverWebhook(harness, event)))
    else for (const event of open) event.dropped = true
    return String(open.length)
  }
}

/** Delivers the delayed requests to the gateway. */
export class DeliverLateRequests extends Step {
  override check({ line }: Readonly<Model>): boolean {
    return line.late.length > 0
  }
  describe(): string {
    return 'late requests reach the gateway'
  }
  async act(harness: BillingHarness): Promise<string> {
    const { length } = harness.late
    await deliverLateRequests(harness)
    return String(length)
  }
}
