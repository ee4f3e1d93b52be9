import { randomBytes } from 'node:crypto'

/** The simulated behaviour of a wallet that is charged. */
export type Funding = 'pays' | 'pays once' | 'declined' | 'pending'

interface Money {
  currency_code: string
  value: string
}

interface CaptureOrRefund {
  id: string
  status: string
  amount: Money
  custom_id?: string
  invoice_id?: string
}

interface FakeDispute {
  dispute_id: string
  create_time: string
  status: 'WAITING_FOR_SELLER_RESPONSE' | 'RESOLVED'
  dispute_amount: Money
  dispute_outcome?: { outcome_code: string; amount_refunded?: Money }
  disputed_transactions: { seller_transaction_id: string; invoice_number?: string }[]
}

interface OrderRequest {
  intent: 'CAPTURE'
  /** An order of another shop that uses the same account lacks these ids. */
  purchase_units: { reference_id?: string; custom_id?: string; invoice_id?: string; amount: Money }[]
  payment_source: {
    paypal: {
      vault_id?: string
      experience_context?: { return_url: string; cancel_url: string }
      attributes?: { vault?: object }
    }
  }
}

interface FakeOrder {
  id: string
  status: 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED'
  request: OrderRequest
  funding: Funding
  captures: CaptureOrRefund[]
  refunds: CaptureOrRefund[]
  vaultId?: string
  /** The owner of the wallet that paid the order. */
  payer?: string
}

/** A refusal with PayPal's error name. */
export class FakeRefusal extends Error {
  readonly status: number

  constructor(status: number, issue: string) {
    super(issue)
    this.status = status
  }
}

/** The e-mail address of every fake payer. */
export const payerEmail = 'payer@example.com'

/** PayPal's ids consist of capital letters and digits. */
export const fakeId = () => randomBytes(9).toString('hex').toUpperCase().slice(0, 17)
const isEffective = ({ status }: CaptureOrRefund) => status === 'COMPLETED' || status === 'PENDING'
const cents = ({ value }: Money) => Math.round(Number(value) * 100)

/** Simulates PayPal's orders, approvals, captures, saved wallets and refunds. Calls `emitEvent` for each event. */
export class FakeOrders {
  readonly all = new Map<string, FakeOrder>()
  /** The saved wallets by id, with their behaviour when charged. */
  readonly vault = new Map<string, Funding>()
  /** The disputes by the id of the disputed capture. */
  readonly disputes = new Map<string, FakeDispute>()
  mayVault = true
  /** True if a wallet is saved only after its payment, by a call of `vaultNow`. */
  vaultsLater = false
  mayReadDisputes = true
  /** Returns the behaviour of the wallet that approves the next order. */
  nextFunding: () => Funding = () => 'pays'
  /** The initial status of a refund. */
  initialRefundStatus: 'COMPLETED' | 'PENDING' = 'COMPLETED'

  private readonly url: () => string
  private readonly emitEvent: (type: string, resource: object) => void

  constructor(url: () => string, emitEvent: (type: string, resource: object) => void) {
    this.url = url
    this.emitEvent = emitEvent
  }

  /** The balance of the account, in cents of any currency. */
  get balance(): number {
    return [...this.all.values()]
      .flatMap(({ captures, refunds }) => [
        ...captures.filter(({ status }) => status !== 'PENDING').map(({ amount }) => cents(amount)),
        ...refunds.filter(isEffective).map(({ amount }) => -cents(amount)),
        ...captures.map(({ id }) => -this.disputedCents(id)),
      ])
      .reduce((sum, one) => sum + one, 0)
  }

  /** Returns the amount that a dispute took from a capture. */
  private disputedCents(captureId: string): number {
    const dispute = this.disputes.get(captureId)
    const won = dispute?.dispute_outcome?.outcome_code === 'RESOLVED_SELLER_FAVOUR'
    return dispute && !won ? cents(dispute.dispute_amount) : 0
  }

  create(request: OrderRequest): FakeOrder {
    this.check(request)
    const { vault_id } = request.payment_source.paypal
    const order: FakeOrder = {
      id: fakeId(),
      status: 'PAYER_ACTION_REQUIRED',
      request,
      funding: 'pays',
      captures: [],
      refunds: [],
    }
    if (vault_id !== undefined) {
      const funding = this.vault.get(vault_id)
      if (funding === undefined) throw new FakeRefusal(422, 'TOKEN_ID_NOT_FOUND')
      Object.assign(order, { status: 'APPROVED', funding })
      this.capture(order)
    }
    this.all.set(order.id, order)
    return order
  }

  private check({ purchase_units, payment_source }: OrderRequest): void {
    const [unit] = purchase_units
    const { paypal } = payment_source
    const decimals = ['HUF', 'JPY', 'TWD'].includes(unit?.amount.currency_code ?? '')
      ? /^\d+$/
      : /^\d+\.\d\d$/
    const { reference_id = '', custom_id = '', invoice_id = '' } = unit ?? {}
    if (reference_id.length > 256 || custom_id.length > 127 || invoice_id.length > 127)
      throw new FakeRefusal(400, 'INVALID_STRING_MAX_LENGTH')
    if (!unit || !decimals.test(unit.amount.value)) throw new FakeRefusal(422, 'DECIMAL_PRECISION')
    if ((paypal.attributes?.vault || paypal.vault_id !== undefined) && !this.mayVault)
      throw new FakeRefusal(403, 'PERMISSION_DENIED')
    if (paypal.vault_id === undefined && !URL.canParse(paypal.experience_context?.return_url ?? ''))
      throw new FakeRefusal(400, 'INVALID_PARAMETER_VALUE')
  }

  get(id: string): FakeOrder {
    const order = this.all.get(id)
    if (!order) throw new FakeRefusal(404, 'INVALID_RESOURCE_ID')
    return order
  }

  /** Approves an order as the user. Captured orders do not change. */
  approve(id: string, funding: Funding = this.nextFunding(), payer = fakeId().slice(0, 13)): void {
    const order = this.get(id)
    if (order.status === 'COMPLETED') return
    Object.assign(order, { status: 'APPROVED', funding, payer })
    this.emitEvent('CHECKOUT.ORDER.APPROVED', this.present(order))
  }

  capture(order: FakeOrder): FakeOrder {
    const [unit] = order.request.purchase_units
    if (order.status === 'COMPLETED') throw new FakeRefusal(422, 'ORDER_ALREADY_CAPTURED')
    if (order.status !== 'APPROVED' || !unit) throw new FakeRefusal(422, 'ORDER_NOT_APPROVED')
    if (order.funding === 'declined') throw new FakeRefusal(422, 'INSTRUMENT_DECLINED')
    if (this.isPaid(unit.invoice_id)) throw new FakeRefusal(422, 'DUPLICATE_INVOICE_ID')
    const pending = order.funding === 'pending'
    order.captures.push({ id: fakeId(), status: pending ? 'PENDING' : 'COMPLETED', ...unit })
    order.status = 'COMPLETED'
    if (order.request.payment_source.paypal.attributes?.vault && !this.vaultsLater) this.vaultWallet(order)
    this.emitCaptureEvent(order, pending ? 'PENDING' : 'COMPLETED')
    return order
  }

  private isPaid(invoiceId: string | undefined): boolean {
    if (invoiceId === undefined) return false
    return [...this.all.values()].some(({ captures }) => captures.some((one) => one.invoice_id === invoiceId))
  }

  private vaultWallet(order: FakeOrder): void {
    order.vaultId = `vault-${fakeId().toLowerCase()}`
    this.vault.set(order.vaultId, order.funding === 'pays once' ? 'declined' : 'pays')
  }

  /** Removes a saved wallet, as a user can do on PayPal's pages. */
  removeWallet(vaultId: string): void {
    this.vault.delete(vaultId)
    this.emitEvent('VAULT.PAYMENT-TOKEN.DELETED', { id: vaultId })
  }

  /** Saves the wallet of a paid order later, as PayPal may do. */
  vaultNow(id: string): void {
    const order = this.get(id)
    this.vaultWallet(order)
    this.emitEvent('VAULT.PAYMENT-TOKEN.CREATED', { id: order.vaultId, metadata: { order_id: id } })
  }

  /** Completes or declines the pending captures of an order. */
  decideCaptures(id: string, status: 'COMPLETED' | 'DECLINED'): void {
    const order = this.get(id)
    for (const capture of order.captures) capture.status = status
    this.emitCaptureEvent(order, status === 'COMPLETED' ? 'COMPLETED' : 'DENIED')
  }

  emitCaptureEvent(order: FakeOrder, what: string): void {
    const [capture] = order.captures
    if (capture) this.emitEvent(`PAYMENT.CAPTURE.${what}`, this.presentCapture(order, capture))
  }

  findCapture(id: string): { order: FakeOrder; capture: CaptureOrRefund } {
    for (const order of this.all.values()) {
      const capture = order.captures.find((one) => one.id === id)
      if (capture) return { order, capture }
    }
    throw new FakeRefusal(404, 'INVALID_RESOURCE_ID')
  }

  refund(captureId: string, request: { amount: Money; custom_id?: string }): CaptureOrRefund {
    const { order, capture } = this.findCapture(captureId)
    if (capture.status === 'PENDING') throw new FakeRefusal(422, 'PENDING_CAPTURE')
    if (this.disputedCents(captureId) > 0) throw new FakeRefusal(422, 'TRANSACTION_DISPUTED')
    const refundedCents = order.refunds
      .filter(isEffective)
      .reduce((sum, { amount }) => sum + cents(amount), 0)
    const remainingCents = cents(capture.amount) - refundedCents - cents(request.amount)
    if (remainingCents < 0) throw new FakeRefusal(422, 'REFUND_AMOUNT_EXCEEDED')
    const { invoice_id } = capture
    const refund: CaptureOrRefund = {
      id: fakeId(),
      status: this.initialRefundStatus,
      ...request,
      ...(invoice_id === undefined ? {} : { invoice_id }),
    }
    order.refunds.push(refund)
    capture.status = remainingCents === 0 ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
    const above = { rel: 'up', href: `${this.url()}/v2/payments/captures/${captureId}` }
    const type = refund.status === 'PENDING' ? 'PAYMENT.REFUND.PENDING' : 'PAYMENT.CAPTURE.REFUNDED'
    this.emitEvent(type, { ...refund, links: [above] })
    return refund
  }

  /** Makes the refunds of an order fail. */
  failRefunds(id: string): void {
    const { captures, refunds } = this.get(id)
    for (const refund of refunds) {
      refund.status = 'FAILED'
      for (const capture of captures) capture.status = 'COMPLETED'
      const above = { rel: 'up', href: `${this.url()}/v2/payments/captures/${captures[0]?.id}` }
      this.emitEvent('PAYMENT.REFUND.FAILED', { ...refund, links: [above] })
    }
  }

  /** Opens a dispute, or records PayPal's decision. */
  dispute(id: string, status: 'open' | 'won' | 'lost', at: Date): void {
    const { captures, refunds } = this.get(id)
    const [capture] = captures
    if (!capture) throw new Error(`${id} has no capture`)
    const refundedCents = refunds.filter(isEffective).reduce((sum, { amount }) => sum + cents(amount), 0)
    const { currency_code } = capture.amount
    const value = ((cents(capture.amount) - refundedCents) / 100).toFixed(2)
    const outcome_code = status === 'won' ? 'RESOLVED_SELLER_FAVOUR' : 'RESOLVED_BUYER_FAVOUR'
    const dispute: FakeDispute = {
      dispute_id: `PP-D-${fakeId()}`,
      create_time: at.toISOString(),
      dispute_amount: { currency_code, value },
      disputed_transactions: [
        {
          seller_transaction_id: capture.id,
          ...(capture.invoice_id === undefined ? {} : { invoice_number: capture.invoice_id }),
        },
      ],
      ...(status === 'open' ? {} : this.disputes.get(capture.id)),
      status: status === 'open' ? 'WAITING_FOR_SELLER_RESPONSE' : 'RESOLVED',
      ...(status === 'open' ? {} : { dispute_outcome: { outcome_code } }),
    }
    this.disputes.set(capture.id, dispute)
    this.emitEvent(`CUSTOMER.DISPUTE.${status === 'open' ? 'CREATED' : 'RESOLVED'}`, dispute)
  }

  /** Lists the disputes of a capture, or the disputes opened since a time, in PayPal's short form, latest first. */
  listDisputes(query: URLSearchParams): object {
    this.checkMayRead()
    const [captureId, since = ''] = ['disputed_transaction_id', 'start_time'].map(
      (name) => query.get(name) ?? undefined,
    )
    const found = [...this.disputes]
      .filter(([about, { create_time }]) => (captureId ?? about) === about && create_time >= since)
      .toSorted(([, a], [, b]) => b.create_time.localeCompare(a.create_time))
    return {
      items: found.map(([, { dispute_id, create_time, status, dispute_amount }]) => ({
        dispute_id,
        create_time,
        status,
        dispute_amount,
      })),
      links: [],
    }
  }

  getDispute(id: string): object {
    this.checkMayRead()
    const found = [...this.disputes.values()].find(({ dispute_id }) => dispute_id === id)
    if (!found) throw new FakeRefusal(404, 'RESOURCE_NOT_FOUND')
    return found
  }

  private checkMayRead(): void {
    if (!this.mayReadDisputes) throw new FakeRefusal(403, 'NOT_AUTHORIZED')
  }

  present({ id, status, request, captures, refunds, vaultId, payer }: FakeOrder): object {
    const open = status === 'PAYER_ACTION_REQUIRED'
    const payerAction = { rel: 'payer-action', href: `${this.url()}/checkoutnow?token=${id}`, method: 'GET' }
    const paypal = {
      ...(payer ? { account_id: payer, email_address: payerEmail } : {}),
      ...(request.payment_source.paypal.attributes?.vault && captures.length > 0
        ? { attributes: { vault: vaultId ? { id: vaultId, status: 'VAULTED' } : { status: 'APPROVED' } } }
        : {}),
    }
    return {
      id,
      status,
      intent: 'CAPTURE',
      purchase_units: request.purchase_units.map((unit) => ({
        reference_id: 'default',
        ...unit,
        ...(captures.length > 0 ? { payments: { captures, refunds } } : {}),
      })),
      payment_source: { paypal },
      links: [
        { rel: 'self', href: `${this.url()}/v2/checkout/orders/${id}` },
        ...(open ? [payerAction] : []),
      ],
    }
  }

  presentCapture(order: FakeOrder, capture: CaptureOrRefund): object {
    return { ...capture, supplementary_data: { related_ids: { order_id: order.id } } }
  }
}
