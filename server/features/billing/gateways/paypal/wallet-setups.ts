import {
  GatewayRefused,
  type MethodSetups,
  type MethodSetupRequest,
  type MethodSetup,
} from '#server/features/billing/gateways/gateway.ts'
import { declineCodeOf } from './decline-codes.ts'
import type { PaymentToken, SetupToken } from './objects.ts'
import { PaypalRefusal, type PaypalClient } from './paypal-client.ts'
import { usagePattern } from './order-request.ts'

const setupsPath = '/v3/vault/setup-tokens'
export const tokensPath = '/v3/vault/payment-tokens'

/** The statuses of a setup token that waits for the user's approval. */
const unapprovedStatuses = new Set(['CREATED', 'PAYER_ACTION_REQUIRED'])

/**
 * Saves wallets without a payment. The user approves a setup token at PayPal. `complete` exchanges it for the payment
 * token with which renewals are charged. A setup token that is not exchanged saves nothing and expires.
 */
export function createWalletSetups(client: PaypalClient): MethodSetups {
  return {
    start: (request) => start(client, request),
    async complete(reference) {
      const setup = await readSetup(client, reference)
      return setup && (unapprovedStatuses.has(setup.status) ? present(setup) : exchangeSetup(client, setup))
    },
    async retrieve(lookup) {
      // PayPal cannot search for setup tokens. A setup whose token id we never received was not approved, because no
      // user was sent to PayPal.
      const setup = 'reference' in lookup ? await readSetup(client, lookup.reference) : null
      return setup && (isExchanged(setup) ? exchangeSetup(client, setup) : present(setup))
    },
    async cancel(reference) {
      const setup = await readSetup(client, reference)
      if (!setup) return null
      // PayPal cannot cancel a setup token. An approved token may already have been exchanged. Exchanging it again
      // returns the same payment token.
      if (!unapprovedStatuses.has(setup.status)) return exchangeSetup(client, setup)
      return { reference, status: 'cancelled', decline: 'cancelled' }
    },
  }
}

const isExchanged = ({ status }: SetupToken) => status === 'VAULTED' || status === 'TOKENIZED'

/**
 * Creates a setup token. PayPal repeats its first answer for any request with the same key, so the setup's id in the
 * answer is checked.
 * @throws GatewayRefused if the key was used for another setup
 */
async function start(client: PaypalClient, request: MethodSetupRequest): Promise<MethodSetup> {
  const { key, setupId, returnUrl, cancelUrl } = request
  const body = JSON.stringify({
    customer: { merchant_customer_id: setupId },
    payment_source: {
      paypal: {
        usage_type: 'MERCHANT',
        usage_pattern: usagePattern,
        experience_context: {
          return_url: returnUrl,
          cancel_url: cancelUrl,
          user_action: 'SETUP_NOW',
          shipping_preference: 'NO_SHIPPING',
        },
      },
    },
  })
  try {
    const setup = await client.request<SetupToken>({ method: 'POST', path: setupsPath, key, body })
    const methodSetup = present(setup)
    const isOther = methodSetup.setupId !== undefined && methodSetup.setupId !== setupId
    if (isOther) throw new GatewayRefused(`key ${key} was used for another setup`)
    return methodSetup
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.isFinal)) throw error
    return { reference: key, status: 'failed', setupId, decline: declineCodeOf(error.issue) }
  }
}

/** Reads a setup token. @returns null if PayPal has no such token */
async function readSetup(client: PaypalClient, reference: string): Promise<SetupToken | null> {
  if (!/^[0-9a-zA-Z_-]{7,36}$/.test(reference)) return null
  try {
    return await client.request<SetupToken>({ method: 'GET', path: `${setupsPath}/${reference}` })
  } catch (error) {
    if (error instanceof PaypalRefusal && error.status === 404) return null
    throw error
  }
}

/**
 * Exchanges an approved setup token for a payment token once, with a key derived from the setup token. If PayPal has
 * forgotten that key, finds the payment token by its customer, because each setup has a new customer.
 */
async function exchangeSetup(client: PaypalClient, setup: SetupToken): Promise<MethodSetup> {
  const { id: reference, customer } = setup
  const body = JSON.stringify({ payment_source: { token: { id: reference, type: 'SETUP_TOKEN' } } })
  try {
    const key = `keep:${reference}`
    return presentSaved(
      setup,
      await client.request<PaymentToken>({ method: 'POST', path: tokensPath, key, body }),
    )
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.isFinal)) throw error
    const earlier = customer?.id === undefined ? undefined : await findToken(client, customer.id)
    if (earlier) return presentSaved(setup, earlier)
    return { ...referencesOf(setup), status: 'failed', decline: declineCodeOf(error.issue) }
  }
}

async function findToken(client: PaypalClient, customerId: string): Promise<PaymentToken | undefined> {
  const path = `${tokensPath}?customer_id=${encodeURIComponent(customerId)}`
  const { payment_tokens } = await client.request<{ payment_tokens?: PaymentToken[] }>({
    method: 'GET',
    path,
  })
  return payment_tokens?.[0]
}

function presentSaved(setup: SetupToken, { id, payment_source }: PaymentToken): MethodSetup {
  const fingerprint = payment_source?.paypal?.account_id ?? payment_source?.paypal?.payer_id
  const knownFingerprint = fingerprint ? { fingerprint } : {}
  return {
    ...referencesOf(setup),
    status: 'succeeded',
    method: { reference: id, brand: 'paypal', last4: null, ...knownFingerprint },
  }
}

/**
 * Converts an incomplete setup. The user must still approve it at PayPal, or this site must still exchange its token.
 */
function present(setup: SetupToken): MethodSetup {
  const url = setup.links?.find(({ rel }) => rel === 'approve')?.href
  const next = url !== undefined && /^https?:/.test(url) ? ({ type: 'redirect', url } as const) : undefined
  return { ...referencesOf(setup), status: 'requires_action', ...(next ? { next } : {}) }
}

function referencesOf({ id, customer }: SetupToken): Pick<MethodSetup, 'reference' | 'setupId'> {
  const setupId = customer?.merchant_customer_id
  return { reference: id, ...(setupId === undefined ? {} : { setupId }) }
}
