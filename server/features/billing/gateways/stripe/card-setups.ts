import Stripe from 'stripe'
import {
  GatewayRefused,
  type MethodSetups,
  type MethodSetupRequest,
  type MethodSetup,
  type MethodSetupLookup,
} from '#server/features/billing/gateways/gateway.ts'
import { logNotCreated } from './handle-charge-errors.ts'
import { createdAround, isMissing } from './creation-time-range.ts'
import { ensureCustomer } from './ensure-customer.ts'
import { cancelIntent, idOf, isDeclinedButOpen, outcomeOf, presentCard } from './intents.ts'
import type { StripeContext } from './stripe-context.ts'

/** Expands a SetupIntent with the card that it saves. */
const withMethod = { expand: ['payment_method'] }

/**
 * Saves cards without a payment. Each setup is one SetupIntent. The browser sends the card to it from Stripe's own
 * fields. The bank may require 3-D Secure.
 */
export function createCardSetups(context: StripeContext): MethodSetups {
  return {
    start: (request) => start(context, request),
    complete: (reference) => readOrNull(context, reference),
    retrieve: (lookup) =>
      'reference' in lookup ? readOrNull(context, lookup.reference) : findBySetupId(context, lookup),
    async cancel(reference) {
      await cancelIntent(context.stripe.setupIntents, reference)
      return readOrNull(context, reference)
    },
  }
}

/** Starts the setup of a card. @throws GatewayRefused if the key was used for another request */
async function start(
  context: StripeContext,
  { key, setupId, payer }: MethodSetupRequest,
): Promise<MethodSetup> {
  const { StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors
  try {
    const request = {
      customer: await ensureCustomer(context, payer),
      allowed_payment_method_types: ['card' as const],
      usage: 'off_session' as const,
      metadata: { method_setup_id: setupId },
    }
    return present(await context.stripe.setupIntents.create(request, { idempotencyKey: key }))
  } catch (error) {
    if (error instanceof StripeIdempotencyError) throw new GatewayRefused(error.message, { cause: error })
    if (!(error instanceof StripeInvalidRequestError)) throw error
    const decline = await logNotCreated(context, { change: setupId, userId: payer.userId }, error)
    // Stripe created no SetupIntent, so our unique key becomes the reference.
    return { reference: key, status: 'failed', setupId, decline }
  }
}

/**
 * Reads a setup, and cancels it if it was declined. Otherwise its secret could be used to try any number of cards. Does
 * not change setups of other shops.
 */
async function readOrNull({ stripe }: StripeContext, reference: string): Promise<MethodSetup | null> {
  // Webhook events may be about any object, but only SetupIntents are setups.
  if (!/^seti_\w+$/.test(reference)) return null
  const get = () => stripe.setupIntents.retrieve(reference, withMethod)
  try {
    const intent = await get()
    const isCurrent =
      !isOurs(intent) || !isDeclinedButOpen(intent) || (await cancelIntent(stripe.setupIntents, reference))
    return present(isCurrent ? intent : await get())
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Finds a setup by our own id in its metadata. */
async function findBySetupId(
  context: StripeContext,
  { setupId, startedAt }: Extract<MethodSetupLookup, { setupId: string }>,
): Promise<MethodSetup | null> {
  const listed = context.stripe.setupIntents.list({ created: createdAround(startedAt), limit: 100 })
  for await (const { id, metadata } of listed)
    if (metadata?.['method_setup_id'] === setupId) return readOrNull(context, id)
  return null
}

/** Returns whether this site created a setup. The account may also serve other shops. */
const isOurs = ({ metadata }: Stripe.SetupIntent) => metadata?.['method_setup_id'] !== undefined

function present(intent: Stripe.SetupIntent): MethodSetup {
  const outcome = outcomeOf(intent)
  // A status of a later version of Stripe's API counts as processing, so that the setup is queried again.
  const status = outcome.status === 'unreadable' ? 'processing' : outcome.status
  const setupId = intent.metadata?.['method_setup_id']
  return {
    reference: intent.id,
    ...outcome,
    status,
    ...(setupId === undefined ? {} : { setupId }),
    ...(outcome.status === 'succeeded' ? methodOf(intent) : {}),
  }
}

function methodOf({ customer, payment_method: method }: Stripe.SetupIntent): Pick<MethodSetup, 'method'> {
  const owner = idOf(customer)
  if (owner === undefined || typeof method !== 'object' || method === null) return {}
  return { method: presentCard(owner, method.id, method.card) }
}
