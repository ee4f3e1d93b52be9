import type { MethodChange } from '#contract/billing.ts'
import { Fault, Refusal, type RefusalName } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { cardRefusals } from './card-refusals.ts'
import { askGateway } from '#server/features/billing/gateways/call-gateway.ts'
import {
  insertMethodSetup,
  selectMethodSetup,
  selectOpenMethodSetups,
  type MethodSetupRow,
} from '#server/features/billing/records/method-setup-queries.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { checkAmount, checkOffered } from '#server/features/billing/gateways/gateways.ts'
import { type Payer, checkCardFailures, failuresKey } from './limit-card-failures.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'
import {
  selectOrderOfPeriod,
  selectPriceDue,
  selectRenewing,
  type RenewingRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import {
  cancelMethodSetup,
  isWithinReach,
  keyOf,
  recheckMethodSetup,
  settleMethodSetup,
} from './settle-method-setup.ts'
import { selectActiveSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'
import type { PaymentMethod } from '#server/features/billing/tables.ts'
import { checkMethodSetups } from './limit-attempts.ts'

/** The method that a user wants to be charged with from now on. */
interface Wanted {
  userId: string
  /** The id reserved for the change, so that repeating the request creates no second one. */
  changeId: string
  gateway: MethodSetupRow['gateway']
  method: PaymentMethod
  payer: Payer
}

type Step =
  | { do: 'save'; change: MethodSetupRow; payer: { userId: string; email: string } }
  | { do: 'look up' | 'give up'; change: MethodSetupRow }

/** The earlier changes that this call has already queried or cancelled. */
type Done = Record<'look up' | 'give up', Set<string>>

/** A request that the gateway does not know after this time no longer blocks a new one. */
const patienceMs = 60_000

/**
 * Saves a card or wallet at a gateway without a payment, for the renewals of the user's subscription: in two transactions with
 * the gateway call between them, so that a crash in between is recovered. An earlier change that waits for the user is
 * cancelled.
 * @throws Refusal notSubscribed, gatewayNotOffered (also if the gateway does not take the amount due), methodUnknown, or the
 * reason why the method was not saved; Fault tooMany after too many changes or cards of the user or their network
 */
export async function changeMethod(context: BillingContext, wanted: Wanted): Promise<MethodChange> {
  const done: Done = { 'look up': new Set(), 'give up': new Set() }
  for (;;) {
    const step = await inTransaction(context.db, (tx) => begin(context, tx, wanted, done))
    const { change } = step
    if (step.do === 'save') {
      await save(context, change, wanted, step.payer)
      return present(context, change.id)
    }
    done[step.do].add(change.id)
    if (step.do === 'give up') await cancelMethodSetup(context, change)
    else if (isOpen(change.status)) await recheckMethodSetup(context, change)
    if (change.id === wanted.changeId) return present(context, change.id)
  }
}

/**
 * Loads a change, and completes it if it waited for the user.
 * @throws Refusal notFound for a change of another user, methodUnknown, or the reason why the method was not saved
 */
export async function loadMethodChange(
  context: BillingContext,
  userId: string,
  changeId: string,
): Promise<MethodChange> {
  const change = await selectMethodSetup(context.db, changeId)
  if (change?.user_id !== userId) throw new Refusal('notFound')
  if (isOpen(change.status)) await recheckMethodSetup(context, change)
  return present(context, changeId)
}

/** The first transaction: decides, and commits the change before the gateway is called. */
async function begin(
  context: BillingContext,
  tx: Tx,
  { userId, changeId, gateway: id, method, payer }: Wanted,
  done: Done,
): Promise<Step> {
  await lockBuyer(tx, userId)
  const now = context.clock.now()
  const earlier = await selectMethodSetup(tx, changeId)
  if (earlier) return { do: 'look up', change: earlier }
  const live = await selectActiveSubscription(tx, userId, now)
  const row = live && (await selectRenewing(tx, live.id))
  if (!row) throw new Refusal('notSubscribed')
  const gateway = checkOffered(context, { gateway: id, method, kind: 'plan' })
  checkAmount(context, id, await selectPrice(tx, row))
  if (gateway.tokenStep(method) && payer.token === undefined)
    throw new Fault('badRequest', 'payment_token is needed')
  const open = (await selectOpenMethodSetups(tx, userId)).filter((one) => isWithinReach(context, one))
  for (const one of open) {
    const next = wayOut(one, done, now)
    if (next) return { do: next, change: one }
  }
  await checkMethodSetups(tx, userId, now)
  const network = method === 'card' ? failuresKey(context, payer.ip) : null
  if (network !== null) await checkCardFailures(context, tx, { userId, network }, now)
  context.quotas.take('payments', payer.ip)
  const change = await insertMethodSetup(tx, {
    id: changeId,
    user_id: userId,
    subscription_id: row.id,
    gateway: id,
    method,
    status: 'started',
    started_at: now,
    network,
    check_at: nextPoll(0, now),
  })
  const bought = await selectOrderOfPeriod(tx, row.id, row.period_no)
  return { do: 'save', change, payer: { userId, email: row.email ?? bought?.email ?? '' } }
}

/** Returns the amount that the method is to be charged next. */
async function selectPrice(tx: Tx, row: RenewingRow) {
  const order = await selectOrderOfPeriod(tx, row.id, row.period_no + 1)
  return selectPriceDue(tx, row, order?.status === 'pending' ? order : undefined)
}

/**
 * Returns what to do about an open change before starting another. One that turns out to wait for the user is cancelled too, so
 * a lost response is recovered within one call.
 * @throws Refusal methodUnknown while it may still succeed
 */
function wayOut(change: MethodSetupRow, done: Done, now: Date): keyof Done | undefined {
  const { id, status, reference, started_at } = change
  const lookedUp = done['look up'].has(id)
  if (reference !== null) {
    if (done['give up'].has(id)) throw new Refusal('methodUnknown')
    return lookedUp || status === 'requires_action' ? 'give up' : 'look up'
  }
  if (!lookedUp) return 'look up'
  if (now.getTime() - started_at.getTime() < patienceMs) throw new Refusal('methodUnknown')
  return undefined
}

/** Calls the gateway with the committed key, then settles the change in the second transaction. */
async function save(
  context: BillingContext,
  change: MethodSetupRow,
  { method, payer }: Wanted,
  person: { userId: string; email: string },
): Promise<void> {
  const { id, gateway } = change
  const { token, firstName, lastName } = payer
  const outcome = await askGateway(
    context,
    checkOffered(context, { gateway, method, kind: 'plan' }),
    (asked) =>
      asked.methodSetups.start({
        key: keyOf(change),
        changeId: id,
        payer: { ...person, firstName, lastName },
        method,
        token,
        ...waysBack(context, change),
      }),
  )
  await settleMethodSetup(context, change, outcome ?? 'unknown')
}

/**
 * Returns the URLs to which the gateway redirects. PayPal's lead to our routes, as those of its payments; the page then loads
 * the change.
 */
function waysBack({ publicUrl }: BillingContext, { id, gateway }: MethodSetupRow) {
  if (gateway !== 'paypal') {
    const page = `${publicUrl}${pageOf(id)}`
    return { returnUrl: page, cancelUrl: page }
  }
  const hint = (coming: string) => `${publicUrl}/api/webhook/payment/paypal-${coming}?change=${id}`
  return { returnUrl: hint('return'), cancelUrl: hint('cancel') }
}

/** Returns the page that shows the result of a change. */
export const pageOf = (changeId: string) => `/my?change=${changeId}`

const refusalOf: Record<string, RefusalName> = {
  ...cardRefusals,
  check_failed: 'cardNotConfirmed',
  check_needed: 'cardNotConfirmed',
  cancelled: 'methodCalledOff',
  email_refused: 'emailInvalid',
}

function refusalFor(change: MethodSetupRow): Refusal {
  const reason = refusalOf[change.decline_code ?? ''] ?? 'methodNotKept'
  return new Refusal(reason, reason === 'emailInvalid' ? { field: 'email' } : {})
}

/** @throws Refusal methodUnknown, or the reason why the method was not saved */
async function present({ db }: BillingContext, changeId: string): Promise<MethodChange> {
  const change = await selectMethodSetup(db, changeId)
  if (!change || change.status === 'started' || change.status === 'unknown')
    throw new Refusal('methodUnknown')
  const { id, status, gateway, next_step } = change
  if (status === 'failed' || status === 'cancelled') throw refusalFor(change)
  const saved = status === 'succeeded'
  return { id, status: saved ? 'saved' : 'pending', gateway, next: next_step ?? { type: 'none' } }
}
