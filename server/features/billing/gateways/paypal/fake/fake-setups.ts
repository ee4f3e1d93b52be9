import { fakeId, FakeRefusal, type Funding } from './fake-orders.ts'

interface SetupRequest {
  customer?: { merchant_customer_id?: string }
  payment_source: {
    paypal: { usage_type: string; experience_context: { return_url: string; cancel_url: string } }
  }
}

interface FakeSetup {
  id: string
  status: 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'VAULTED'
  request: SetupRequest
  customerId: string
  /** The id of the wallet that this setup saved. */
  vaultId?: string
  payer?: string
}

/**
 * Simulates PayPal's setup tokens for wallets that are saved without a payment, and the payment tokens created from
 * them.
 */
export class FakeSetups {
  readonly all = new Map<string, FakeSetup>()
  private readonly vault: Map<string, Funding>
  private readonly url: () => string
  private readonly emitEvent: (type: string, resource: object) => void

  constructor(
    vault: Map<string, Funding>,
    url: () => string,
    emitEvent: (type: string, resource: object) => void,
  ) {
    this.vault = vault
    this.url = url
    this.emitEvent = emitEvent
  }

  create(request: SetupRequest): FakeSetup {
    const { usage_type, experience_context: context } = request.payment_source.paypal
    if (usage_type !== 'MERCHANT' || !URL.canParse(context.return_url) || !URL.canParse(context.cancel_url))
      throw new FakeRefusal(400, 'INVALID_PARAMETER_VALUE')
    const setup: FakeSetup = {
      id: fakeId(),
      status: 'PAYER_ACTION_REQUIRED',
      request,
      customerId: `cust${fakeId()}`,
    }
    this.all.set(setup.id, setup)
    return setup
  }

  get(id: string): FakeSetup {
    const setup = this.all.get(id)
    if (!setup) throw new FakeRefusal(404, 'RESOURCE_NOT_FOUND')
    return setup
  }

  /** Approves a setup token as the user. */
  approve(id: string, payer = fakeId().slice(0, 13)): void {
    const setup = this.get(id)
    if (setup.status === 'PAYER_ACTION_REQUIRED') Object.assign(setup, { status: 'APPROVED', payer })
  }

  /** Creates a payment token from an approved setup token. A setup token can be used once. */
  createPaymentToken({
    payment_source,
  }: {
    payment_source: { token: { id: string; type: string } }
  }): object {
    const { id, type } = payment_source.token
    if (type !== 'SETUP_TOKEN') throw new FakeRefusal(400, 'INVALID_PARAMETER_VALUE')
    const setup = this.get(id)
    if (setup.status !== 'APPROVED') throw new FakeRefusal(422, 'INVALID_TOKEN_STATUS')
    const vaultId = `vault-${fakeId().toLowerCase()}`
    Object.assign(setup, { status: 'VAULTED', vaultId })
    this.vault.set(vaultId, 'pays')
    this.emitEvent('VAULT.PAYMENT-TOKEN.CREATED', presentToken(setup))
    return presentToken(setup)
  }

  /** Lists a customer's saved payment tokens. */
  list(query: URLSearchParams): object {
    const attached = [...this.all.values()].filter(
      ({ customerId, vaultId }) =>
        customerId === query.get('customer_id') && vaultId !== undefined && this.vault.has(vaultId),
    )
    return { payment_tokens: attached.map(presentToken) }
  }

  present({ id, status, request, customerId }: FakeSetup): object {
    const approve = { rel: 'approve', href: `${this.url()}/agreements/approve?approval_session_id=${id}` }
    return {
      id,
      status,
      customer: { id: customerId, ...request.customer },
      payment_source: { paypal: { usage_type: request.payment_source.paypal.usage_type } },
      links: [
        { rel: 'self', href: `${this.url()}/v3/vault/setup-tokens/${id}` },
        ...(status === 'PAYER_ACTION_REQUIRED' ? [approve] : []),
      ],
    }
  }
}

function presentToken({ vaultId, customerId, request, payer }: FakeSetup): object {
  return {
    id: vaultId,
    customer: { id: customerId, ...request.customer },
    payment_source: { paypal: { payer_id: payer } },
  }
}
