import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PlainRoute } from '#server/platform/http/route.ts'
import {
  selectAttempt,
  selectAttemptByReference,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { methodChangePath } from '#server/features/billing/payment-methods/change-method.ts'
import {
  selectMethodSetup,
  type MethodSetupRow,
} from '#server/features/billing/records/method-setup-queries.ts'
import { cancelAttempt } from '#server/features/billing/payments/cancel-attempt.ts'
import {
  cancelMethodSetup,
  recheckMethodSetup,
} from '#server/features/billing/payment-methods/settle-method-setup.ts'
import { recheckAttempt } from '#server/features/billing/payments/settle-attempt.ts'

const longestToken = 128

type ReturnOutcome = 'approved' | 'cancelled'

/**
 * The routes to which PayPal redirects users after they approved or cancelled a payment. Anybody can call them, so a
 * call only triggers a query to PayPal. The routes need no session, because PayPal's app may return the user to another
 * browser.
 */
export function paypalReturnRoutes(context: BillingContext): PlainRoute[] {
  const query = Type.Object({
    token: Type.Optional(Type.String({ description: "PayPal's id of the payment" })),
    change: Type.Optional(Type.String({ description: 'The id of the setup of a saved wallet' })),
  })
  const answers = { 303: { words: "Redirects to the order's page after querying the payment at PayPal" } }
  const redirectAfter = (outcome: ReturnOutcome) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { searchParams } = new URL(request.url, 'http://site')
    const change = searchParams.get('change')
    const page = await (change === null
      ? handlePaypalReturn(context, searchParams.get('token') ?? '', outcome)
      : handleWalletSetupReturn(context, change, outcome))
    return reply.header('cache-control', 'no-store').redirect(page, 303)
  }
  return [
    {
      method: 'GET',
      path: '/api/webhook/payment/paypal-return',
      description: { summary: 'Returns from PayPal after the user approved the payment', query, answers },
      handle: redirectAfter('approved'),
    },
    {
      method: 'GET',
      path: '/api/webhook/payment/paypal-cancel',
      description: { summary: 'Returns from PayPal after the user cancelled the payment', query, answers },
      handle: redirectAfter('cancelled'),
    },
  ]
}

/**
 * Queries PayPal for a payment, and completes it if it was approved. If the user cancelled at PayPal, cancels the
 * payment, so that the order can be paid with another method. Idempotent.
 * @returns the page that shows the order
 */
export async function handlePaypalReturn(
  context: BillingContext,
  token: string,
  outcome: ReturnOutcome,
): Promise<string> {
  const known = token !== '' && token.length <= longestToken
  const attempt = known ? await selectAttemptByReference(context.db, 'paypal', token) : undefined
  if (!attempt) return '/order/result'
  // If this fails, the janitor queries the payment again later.
  await syncAttempt(context, attempt, outcome).catch((error: unknown) =>
    context.log.error(
      { err: error, attempt: attempt.id },
      'a payment could not be read after the return from PayPal',
    ),
  )
  return `/order/result?order_id=${attempt.order_id}`
}

/**
 * Queries PayPal for the setup of a wallet without a payment, and completes it if it was approved. If the user
 * cancelled at PayPal, cancels the setup. Idempotent.
 * @returns the page that shows the result
 */
async function handleWalletSetupReturn(
  context: BillingContext,
  setupId: string,
  outcome: ReturnOutcome,
): Promise<string> {
  const known = setupId.length <= longestToken && !setupId.includes('\0')
  const setup = known ? await selectMethodSetup(context.db, setupId) : undefined
  if (setup?.gateway !== 'paypal') return '/my'
  await syncMethodSetup(context, setup, outcome).catch((error: unknown) =>
    context.log.error(
      { err: error, change: setup.id },
      'a wallet setup could not be read after the return from PayPal',
    ),
  )
  return methodChangePath(setup.id)
}

async function syncMethodSetup(
  context: BillingContext,
  setup: MethodSetupRow,
  outcome: ReturnOutcome,
): Promise<void> {
  if (!isOpen(setup.status)) return
  await recheckMethodSetup(context, setup)
  if (outcome === 'approved') return
  const current = await selectMethodSetup(context.db, setup.id)
  if (current?.status === 'requires_action') await cancelMethodSetup(context, current)
}

async function syncAttempt(
  context: BillingContext,
  attempt: AttemptRow,
  outcome: ReturnOutcome,
): Promise<void> {
  if (!isOpen(attempt.status)) return
  await recheckAttempt(context, attempt)
  if (outcome === 'approved') return
  const current = await selectAttempt(context.db, attempt.id)
  if (current?.status === 'requires_action') await cancelAttempt(context, current)
}
