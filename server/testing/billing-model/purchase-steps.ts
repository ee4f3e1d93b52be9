import type { Behaviour } from '#server/features/billing/gateways/sandbox/cards.ts'
import { decidePayment } from '#server/features/billing/gateways/sandbox/queries.ts'
import { payOrder } from '#server/features/billing/payments/pay-order.ts'
import { createOrderFor } from '#server/features/billing/checkout/create-order.ts'
import { refreshOrder } from '#server/features/billing/checkout/load-orders.ts'
import { loadSavedMethod, removeSavedMethod } from '#server/features/billing/payment-methods/saved-method.ts'
import type { PaymentMethod } from '#server/features/billing/tables.ts'
import { newId } from '#server/platform/ids.ts'
import { orderCall } from '#server/testing/builders/order-call.ts'
import type { BillingHarness, Fault, ProductName } from './billing-harness.ts'
import { ensure } from './ensure.ts'
import { deviceName, type Device, type Model } from './model.ts'
import { outcomeOf, Step, type Answer } from './step.ts'
import { faultSuffix, withFault } from './with-fault.ts'

interface Purchase {
  device: Device
  product: ProductName
  method: PaymentMethod
  /** True if the card should be saved for later purchases. */
  save?: boolean
}

async function submitOrder(
  harness: BillingHarness,
  model: Model,
  { device, product, method, save }: Purchase,
): Promise<{ answer: Answer; id?: string }> {
  const { context, products } = harness
  const buyer = model.userOf(device)
  const id = newId('ord')
  let createdOrderId: string | undefined
  const answer = await outcomeOf(async () => {
    const email = `${buyer}@example.com`
    const saveParams =
      save && products[product].kind !== 'plan' ? { save_method: { terms_text: 'Save this card' } } : {}
    const body = { ...products[product], ...saveParams, gateway: 'sandbox', method, email } as const
    createdOrderId = (await createOrderFor(context, orderCall(buyer, body), id)).id
  })
  if (createdOrderId === undefined) return { answer }
  if (products[product].kind === 'plan') model.cancelled.delete(buyer)
  if (!model.orders.some((one) => one.id === createdOrderId))
    model.orders.push({ id: createdOrderId, product, buyer, presses: 0 })
  // A wallet payment starts together with its order, so the order counts as a payment request.
  const order = model.orders.find((one) => one.id === createdOrderId)
  if (order && method === 'wallet') order.presses++
  return { answer, id: createdOrderId }
}

/** Submits the card payment of an order. */
async function submitPayment(
  harness: BillingHarness,
  model: Model,
  { id, card, fault }: { id: string; card: Behaviour; fault: Fault },
): Promise<Answer> {
  const order = model.orders.find((one) => one.id === id)
  const owner = model.orderEntry(id)?.user_id ?? order?.buyer
  if (!order || owner === undefined) throw new Error(`the order ${id} does not exist`)
  order.presses++
  if (order.product.endsWith('plan')) model.cancelled.delete(owner)
  const token = await harness.newToken(card)
  const answer = await withFault(harness, model, fault, () =>
    outcomeOf(() => payOrder(harness.context, owner, id, { ip: '127.0.0.1', token })),
  )
  return answer
}

/** Returns the expected results of paying an order without faults; undefined if any result is possible. */
function expectedAnswers(
  model: Model,
  id: string,
  card: Behaviour,
  now: number,
): readonly Answer[] | undefined {
  const { orders, attempts, entitlements, subscriptions } = model.before
  const order = orders.find((one) => one.id === id)
  const isOpen = attempts.some(
    ({ order_id, status }) => order_id === id && !['succeeded', 'failed', 'cancelled'].includes(status),
  )
  const isSameBuyer = (one: { user_id: string }) => one.user_id === order?.user_id
  const isSubscribed = subscriptions.some(
    (one) => isSameBuyer(one) && (one.status === 'active' || one.status === 'past_due'),
  )
  const isEntitled = entitlements.some(
    (one) => isSameBuyer(one) && !one.revoked && (one.ends_at === null || one.ends_at > now),
  )
  if (order?.status !== 'pending' || order.expires_at <= now || isOpen || isSubscribed || isEntitled)
    return undefined
  switch (card) {
    case 'declined':
      return ['cardDeclined']
    case 'no_funds':
      return ['insufficientFunds']
    default:
      return order.introductory ? ['done', 'introPriceUsed'] : ['done']
  }
}

abstract class PaymentStep extends Step {
  readonly card: Behaviour
  readonly fault: Fault
  private paid: string | undefined

  constructor(card: Behaviour, fault: Fault) {
    super()
    this.card = card
    this.fault = fault
  }

  async pay(harness: BillingHarness, model: Model, id: string): Promise<Answer> {
    this.paid = id
    return submitPayment(harness, model, { id, card: this.card, fault: this.fault })
  }

  override expect(harness: BillingHarness, model: Model, outcome: string): void {
    const { paid, card, fault } = this
    if (paid === undefined) return
    const isPaid = model.orderEntry(paid)?.paid_at !== null
    if (outcome === 'done' && isPaid) model.reportedPaid.add(paid)
    const answers: readonly string[] | undefined = expectedAnswers(model, paid, card, harness.now())
    if (fault !== 'none' || answers === undefined) return
    ensure(answers.includes(outcome), 'the result of a payment matches the card', { outcome, answers })
    const byWallet = model.orderEntry(paid)?.method === 'wallet'
    const needsAction = byWallet || card === 'asks_once' || card === 'asks_always'
    if (outcome === 'done')
      ensure(isPaid === !needsAction, 'an order is paid, unless the bank or the wallet must confirm it', {
        card,
        paid,
      })
  }
}

/** Creates an order without paying it. With a wallet, the payment starts immediately. */
export class CreateOrder extends Step {
  readonly purchase: Purchase
  constructor(purchase: Purchase) {
    super()
    this.purchase = purchase
  }
  describe(): string {
    const { device, product, method } = this.purchase
    return `${deviceName(device)} orders ${product}${method === 'wallet' ? ' by wallet' : ''}`
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const { answer, id } = await submitOrder(harness, model, this.purchase)
    return id === undefined ? answer : model.nameOf(id)
  }
  override expect(harness: BillingHarness, model: Model, outcome: string): void {
    expectOrderAccepted(harness, model, this.purchase, outcome)
  }
}

/** Checks that a product which the user does not own can be ordered. */
function expectOrderAccepted(
  { products, now }: BillingHarness,
  model: Model,
  { device, product }: Purchase,
  outcome: string,
) {
  const userId = model.userOf(device)
  const { entitlements, subscriptions } = model.before
  const activeEntitlements = entitlements.filter(
    ({ user_id, revoked, ends_at }) =>
      user_id === userId && !revoked && (ends_at === null || ends_at > now()),
  )
  const isSubscribed = subscriptions.some(
    ({ user_id, status }) => user_id === userId && (status === 'active' || status === 'past_due'),
  )
  const isOwned = products[product].kind === 'plan' ? isSubscribed : activeEntitlements.length > 0
  if (!isOwned)
    ensure(outcome.startsWith('order '), 'a product that the user does not own is for sale', {
      product,
      outcome,
    })
}

/** Creates an order and pays it by card immediately. */
export class Buy extends PaymentStep {
  readonly device: Device
  readonly product: ProductName
  readonly save: boolean
  constructor({
    device,
    product,
    card,
    fault,
    save,
  }: {
    device: Device
    product: ProductName
    card: Behaviour
    fault: Fault
    save: boolean
  }) {
    super(card, fault)
    this.device = device
    this.product = product
    this.save = save
  }
  describe(): string {
    const saved = this.save ? ', which is saved' : ''
    return `${deviceName(this.device)} buys ${this.product} with a card that ${cardBehaviourText[this.card]}${saved}${faultSuffix(this.fault)}`
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const { device, product, save } = this
    const { answer, id } = await submitOrder(harness, model, { device, product, method: 'card', save })
    if (id === undefined) return answer
    harness.advanceClock(1000)
    return this.pay(harness, model, id)
  }
}

/** The behaviour of each card, for the description of a step. */
export const cardBehaviourText: Record<Behaviour, string> = {
  pays: 'pays',
  declined: 'is declined',
  no_funds: 'has no funds',
  expired: 'has expired',
  bad_cvc: 'has a wrong CVC',
  asks_once: 'requires 3-D Secure once',
  asks_always: 'always requires 3-D Secure',
  declines_later: 'declines renewals',
  disputed: 'is disputed immediately',
}

/** Buys an episode or the video with the saved card, in one tap. */
export class OneTap extends Step {
  readonly device: Device
  readonly product: ProductName
  readonly fault: Fault
  private pressed: string | undefined
  constructor({ device, product, fault }: { device: Device; product: ProductName; fault: Fault }) {
    super()
    this.device = device
    this.product = product
    this.fault = fault
  }
  describe(): string {
    return `${deviceName(this.device)} buys ${this.product} with the saved card${faultSuffix(this.fault)}`
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const { device, product } = this
    const { context, products, db } = harness
    const buyer = model.userOf(device)
    const { saved_method: saved } = await loadSavedMethod(context, buyer)
    if (!saved) return 'no card is saved'
    const body = { ...products[product], gateway: 'sandbox', saved_method_id: saved.id } as const
    const answer = await withFault(harness, model, this.fault, () =>
      outcomeOf(() => createOrderFor(context, orderCall(buyer, body), newId('ord'))),
    )
    // The order exists even if its payment failed.
    const ordersWithCard = db.selectFrom('orders').select('id').where('saved_method_id', '=', saved.id)
    const [order] = await ordersWithCard
      .where('user_id', '=', buyer)
      .where('episode_id', 'is not distinct from', 'episode_id' in body ? body.episode_id : null)
      .orderBy('created_at', 'desc')
      .limit(1)
      .execute()
    if (!order) return answer
    this.pressed = order.id
    const known = model.orders.find(({ id }) => id === order.id)
    if (known) known.presses++
    else model.orders.push({ id: order.id, product, buyer, presses: 1 })
    return answer
  }
  override expect(_lane: BillingHarness, model: Model, outcome: string): void {
    const { pressed } = this
    const isPaid = pressed !== undefined && model.orderEntry(pressed)?.paid_at !== null
    if (outcome === 'done' && isPaid) model.reportedPaid.add(pressed)
  }
}

/** Removes the saved card. */
export class RemoveCard extends Step {
  readonly device: Device
  constructor(device: Device) {
    super()
    this.device = device
  }
  describe(): string {
    return `${deviceName(this.device)} removes the saved card`
  }
  async act({ context }: BillingHarness, model: Model): Promise<string> {
    const userId = model.userOf(this.device)
    const { saved_method: saved } = await loadSavedMethod(context, userId)
    if (!saved) return 'no card is saved'
    await removeSavedMethod(context, userId, saved)
    const { saved_method: savedMethod } = await loadSavedMethod(context, userId)
    ensure(savedMethod === null, 'a removed card is not saved', { savedMethod })
    return 'done'
  }
}

/** Pays an existing order. Two such steps may run concurrently. */
export class Pay extends PaymentStep {
  readonly order: number
  constructor({ order, card, fault }: { order: number; card: Behaviour; fault: Fault }) {
    super(card, fault)
    this.order = order
  }
  override check({ orders }: Readonly<Model>): boolean {
    return orders.length > 0
  }
  describe(model?: Model): string {
    const order = model?.order(this.order)
    const name = order ? model?.nameOf(order.id) : `order #${this.order}`
    return `pays ${name} with a card that ${cardBehaviourText[this.card]}${faultSuffix(this.fault)}`
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const order = model.order(this.order)
    return order ? this.pay(harness, model, order.id) : 'nothing'
  }
}

/** Responds to the bank's 3-D Secure challenge, or to the confirmation page of the wallet. */
export class AnswerBankChallenge extends Step {
  readonly number: number
  readonly yes: boolean
  constructor({ number, yes }: { number: number; yes: boolean }) {
    super()
    this.number = number
    this.yes = yes
  }
  private waiting({ books }: Readonly<Model>) {
    return books.payments.filter(({ status }) => status === 'requires_action')
  }
  override check(model: Readonly<Model>): boolean {
    return this.waiting(model).length > 0
  }
  describe(): string {
    return this.yes ? 'confirms a payment at the bank' : 'refuses a payment at the bank'
  }
  async act({ db, sandbox }: BillingHarness, model: Model): Promise<string> {
    const paymentsAwaitingBank = this.waiting(model)
    const payment = paymentsAwaitingBank[this.number % paymentsAwaitingBank.length]
    if (!payment) return 'nothing'
    const no = { status: 'failed', decline_code: 'authentication_failed' } as const
    if (this.yes) {
      const order = model.orderEntry(payment.orderId)
      if (order?.kind === 'plan') model.cancelled.delete(order.user_id)
    }
    await decidePayment(db, payment.reference, this.yes ? { status: 'succeeded' } : no)
    sandbox.notify(payment.reference)
    return model.nameOf(payment.orderId)
  }
}

/** Opens the page with the result of an order. */
export class RefreshOrder extends Step {
  readonly order: number
  constructor(order: number) {
    super()
    this.order = order
  }
  override check({ orders }: Readonly<Model>): boolean {
    return orders.length > 0
  }
  describe(model?: Model): string {
    const order = model?.order(this.order)
    return `looks at ${order ? model?.nameOf(order.id) : `order #${this.order}`}`
  }
  async act({ context }: BillingHarness, model: Model): Promise<string> {
    const entry = model.orderEntry(model.order(this.order)?.id ?? '')
    if (!entry) return 'nothing'
    let status = ''
    // A concurrent sign-in may have moved the order to another user, so a refusal is allowed.
    const answer = await outcomeOf(async () => {
      ;({ status } = await refreshOrder(context, entry.user_id, entry.id, 'en'))
    })
    if (status === 'paid') model.reportedPaid.add(entry.id)
    return answer === 'done' ? status : answer
  }
}
