import { createHash } from 'node:crypto'
import type { NextStep } from '#contract/billing.ts'
import {
  GatewayRefused,
  type Charge,
  type DisputeDetails,
  type Payment,
  type PaymentGateway,
  type PaymentLookup,
} from '#server/features/billing/gateways/gateway.ts'
import type { DisputeStatus } from '#server/features/billing/statuses.ts'
import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import { renewalChargeResult, savedChargeResult, type Behaviour, type ChargeResult } from './cards.ts'
import { parseWebhook } from './webhooks.ts'
import * as queries from './queries.ts'
import type { PaymentRow } from './queries.ts'
import type { SandboxContext } from './sandbox-context.ts'
import { createMethodSetups } from './method-setups.ts'
import { newReference, presentMethod, useToken, useWallet, type MethodUse } from './use-method.ts'

/**
 * Creates a complete gateway that moves no money. Its records are in the site's database, but callers use only its
 * `PaymentGateway` interface, as with a third party.
 */
export function createSandboxGateway(context: SandboxContext): PaymentGateway {
  const { db, clock } = context
  return {
    id: 'sandbox',
    methods: ['card', 'wallet'],
    tokenStep: (method) => (method === 'card' ? { type: 'card_form', url: '/sandbox/card' } : undefined),
    createPayment: (charge) =>
      pay(
        context,
        charge,
        {
          kind: charge.methodReference === undefined ? charge.method : 'saved',
          saved: charge.save,
          return_url: charge.returnUrl,
        },
        async (tx) => {
          if (charge.methodReference !== undefined)
            return useSavedMethod(tx, charge.methodReference, savedChargeResult)
          if (charge.method === 'wallet') return useWallet(tx)
          return useToken(tx, charge.token ?? '', clock.now())
        },
      ),
    chargeSavedMethod: (charge) =>
      pay(context, charge, { kind: 'saved', saved: true, return_url: '' }, (tx) =>
        useSavedMethod(tx, charge.methodReference, renewalChargeResult),
      ),
    confirmPayment: (reference) => readPayment(context, { reference }),
    retrievePayment: (lookup) => readPayment(context, lookup),
    async cancelPayment(reference) {
      if (await queries.decidePayment(db, reference, { status: 'cancelled', decline_code: 'cancelled' }))
        context.notify(reference)
      return readPayment(context, { reference })
    },
    findEmail: async (reference) => (await getPayment(db, reference)).metadata.email,
    refundPayment: (refund) => refundOnce(context, refund),
    methodSetups: createMethodSetups(context),
    detachMethod: (reference) => queries.markMethodDetached(db, reference, clock.now()),
    async isMethodAttached(reference) {
      const method = await queries.selectMethod(db, reference)
      return method !== undefined && method.detached_at === null
    },
    deleteCustomer: (userId) => queries.deletePayerEmail(db, userId),
    parseWebhook: (body, headers) => parseWebhook(context, body, headers),
    listPayments: (time) => listSince(context, time),
  }
}

/** Number of payments on a page of the list. */
const pageSize = 500

/** Lists the payments that were made, refunded or disputed since a time, page by page, oldest first. */
async function* listSince({ db, clock }: SandboxContext, time: Date): AsyncGenerator<Payment[]> {
  for (let after: string | undefined, isLast = false; !isLast;) {
    const rows = await queries.selectPaymentsSince(db, time, after, pageSize)
    yield rows.map((row) => presentPayment(row, clock.now()))
    after = rows.at(-1)?.id
    isLast = rows.length < pageSize
  }
}

type PaymentKind = Pick<PaymentRow, 'kind' | 'saved' | 'return_url'>

/**
 * Makes one payment per key. A repeated request returns the same payment. A different request with the key is refused.
 */
async function pay(
  context: SandboxContext,
  charge: Charge,
  kind: PaymentKind,
  useMethod: (tx: Tx) => Promise<MethodUse>,
): Promise<Payment> {
  const hash = createHash('sha256')
    .update(JSON.stringify([charge, kind]))
    .digest('hex')
  const reference = newReference('spay')
  const row = await inTransaction(context.db, async (tx) => {
    await queries.lockKey(tx, charge.key)
    const earlier = await queries.selectPaymentByKey(tx, charge.key)
    if (earlier && earlier.request_hash !== hash)
      throw new GatewayRefused(`key ${charge.key} was used for another request`)
    if (earlier) return earlier
    const { methodId, result } = await useMethod(tx)
    await queries.insertPayment(tx, {
      id: reference,
      idempotency_key: charge.key,
      request_hash: hash,
      ...kind,
      status: result.status,
      decline_code: result.status === 'failed' ? result.decline : null,
      amount_cents: charge.amountCents,
      currency: charge.currency,
      method_id: methodId,
      metadata: JSON.stringify({
        order_id: charge.orderId,
        attempt_id: charge.attemptId,
        purchase: charge.purchase,
        payer: charge.payer.userId,
        email: charge.payer.email,
      }),
      created_at: context.clock.now(),
    })
    return getPayment(tx, reference)
  })
  if (row.id === reference) {
    context.notify(reference)
    if (row.status === 'succeeded' && row.behaviour === 'disputed')
      await simulateDispute(context, reference, 'open')
  }
  return presentPayment(row, context.clock.now())
}

async function useSavedMethod(
  tx: Tx,
  methodId: string,
  resultOf: (behaviour: Behaviour) => ChargeResult,
): Promise<MethodUse> {
  const method = await queries.selectMethod(tx, methodId)
  if (!method || method.detached_at)
    return { methodId: null, result: { status: 'failed', decline: 'card_declined' } }
  return { methodId, result: resultOf(method.behaviour) }
}

async function getPayment(db: Db, reference: string): Promise<PaymentRow> {
  const row = await queries.selectPayment(db, reference)
  if (!row) throw new GatewayRefused(`there is no payment ${reference}`)
  return row
}

async function readPayment({ db, clock }: SandboxContext, lookup: PaymentLookup): Promise<Payment | null> {
  const row =
    'reference' in lookup
      ? await queries.selectPayment(db, lookup.reference)
      : await queries.selectPaymentByKey(db, lookup.key)
  return row ? presentPayment(row, clock.now()) : null
}

async function refundOnce(
  context: SandboxContext,
  { reference, amountCents, key }: { reference: string; amountCents: number; key: string },
) {
  await inTransaction(context.db, async (tx) => {
    await queries.lockKey(tx, `refunds:${reference}`)
    const earlier = await queries.selectRefund(tx, key)
    const same = earlier?.payment_id === reference && earlier.amount_cents === amountCents
    if (earlier && !same) throw new GatewayRefused(`key ${key} was used for another refund`)
    if (earlier?.failed_at) throw new GatewayRefused(`the refund ${key} has failed`)
    if (earlier) return
    const payment = await getPayment(tx, reference)
    if (['open', 'lost'].includes(disputeStatusOf(payment, context.clock.now()) ?? 'none'))
      throw new GatewayRefused(`${reference} is disputed`)
    const refundableCents =
      payment.status === 'succeeded' ? payment.amount_cents - Number(payment.refunded_cents) : 0
    if (amountCents <= 0 || amountCents > refundableCents)
      throw new GatewayRefused(`only ${refundableCents} cents of ${reference} can be refunded`)
    await queries.insertRefund(tx, {
      idempotency_key: key,
      payment_id: reference,
      amount_cents: amountCents,
      created_at: context.clock.now(),
    })
  })
  context.notify(reference)
}

/** The time after which the simulated bank decides an open dispute in the site's favour. */
const disputeDecisionMs = 10 * dayMs

/** Returns the status of a dispute at a time. An open dispute is won after `disputeDecisionMs` by the site's clock. */
function disputeStatusOf({ dispute: status, disputed_at }: PaymentRow, now: Date): PaymentRow['dispute'] {
  const isDecided = disputed_at !== null && now.getTime() - disputed_at.getTime() >= disputeDecisionMs
  return status === 'open' && isDecided ? 'won' : status
}

/** Opens a dispute about the unrefunded amount of a payment, or records the bank's decision. */
export async function simulateDispute(
  { db, clock, notify }: SandboxContext,
  reference: string,
  status: DisputeStatus,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await queries.lockKey(tx, `refunds:${reference}`)
    const { amount_cents, refunded_cents } = await getPayment(tx, reference)
    await queries.setDispute(tx, {
      payment_id: reference,
      status,
      amount_cents: amount_cents - Number(refunded_cents),
      changed_at: clock.now(),
    })
  })
  notify(reference)
}

function presentPayment(row: PaymentRow, now: Date): Payment {
  const isMethodSaved = row.saved && row.status === 'succeeded' && row.method_id !== null
  return {
    reference: row.id,
    status: row.status,
    orderId: row.metadata.order_id,
    attemptId: row.metadata.attempt_id,
    ...(row.metadata.purchase === undefined ? {} : { purchase: row.metadata.purchase }),
    amountCents: row.amount_cents,
    refundedCents: Number(row.refunded_cents),
    currency: row.currency,
    ...(isMethodSaved && row.method_id ? { method: presentMethod(row.method_id, row) } : {}),
    ...(row.status === 'requires_action' ? { next: nextStepOf(row) } : {}),
    ...(row.decline_code ? { decline: row.decline_code } : {}),
    ...presentDispute(row, now),
  }
}

function presentDispute(
  row: PaymentRow,
  now: Date,
): Pick<Payment, 'dispute' | 'disputedCents' | 'disputeDetails'> {
  const status = disputeStatusOf(row, now)
  return status === null || row.disputed_cents === null
    ? {}
    : { dispute: status, disputedCents: row.disputed_cents, disputeDetails: detailsOf(row) }
}

/** Returns the dispute's details. The due date of an open dispute is the date on which the bank decides it. */
function detailsOf({ id, dispute: status, disputed_at }: PaymentRow): DisputeDetails {
  const dueAt = status === 'open' && disputed_at && new Date(disputed_at.getTime() + disputeDecisionMs)
  return { reference: `dispute_${id}`, reason: 'fraudulent', ...(dueAt ? { dueAt } : {}) }
}

/** Returns the user's next step. Its URL needs no further protection, because a payment's id cannot be guessed. */
function nextStepOf({ kind, id }: PaymentRow): NextStep {
  if (kind === 'wallet') return { type: 'redirect', url: `/sandbox/wallet?payment=${id}` }
  return { type: 'authenticate', url: `/sandbox/authenticate?payment=${id}` }
}
