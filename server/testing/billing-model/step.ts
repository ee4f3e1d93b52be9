import type fc from 'fast-check'
import { Refusal, type RefusalName } from '#contract/errors.ts'
import { loadMembership } from '#server/features/billing/subscriptions/membership.ts'
import { loadVideoEntitlements } from '#server/features/library/library.ts'
import { newId } from '#server/platform/ids.ts'
import { countUnfinished, countBillingErrors } from './count-billing-errors.ts'
import type { BillingHarness } from './billing-harness.ts'
import { checkAccess, checkEndedSubscriptions } from './check-access.ts'
import { checkBooks } from './check-books.ts'
import { ensure } from './ensure.ts'
import { Model } from './model.ts'
import { readBooks } from './read-books.ts'

/** The site's response: done, or the name of the refusal. */
export type Answer = 'done' | RefusalName

/**
 * Runs `work`.
 * @returns `done`, or the name of the refusal
 * @throws any error of `work` that is not a refusal
 */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Answer> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (error instanceof Refusal) return error.reason
    throw error
  }
}

/** Starts a sequence with a guest and a member, both without purchases. */
export async function startSequence(harness: BillingHarness): Promise<Model> {
  await harness.reset()
  const [guest = '', member = ''] = [newId('usr'), newId('usr')]
  await harness.db
    .insertInto('users')
    .values(
      [guest, member].map((id) => ({
        id,
        email: null,
        display_name: null,
        language: 'en',
        referral_code: id,
        created_at: new Date(harness.now()),
        member_since: id === member ? new Date(harness.now()) : null,
      })),
    )
    .execute()
  return new Model({ guest, member }, harness, await readBooks(harness.pool, harness.gateway))
}

/** One step of a sequence: an action of a user, the operator or the gateway, or a lapse of time. */
export abstract class Step implements fc.AsyncCommand<Model, BillingHarness> {
  /** Result of the step, for failure reports. */
  private outcome = ''

  /** Describes the step for reports. */
  abstract describe(model?: Model): string
  /** Returns whether the step is possible in the current state. */
  check(_model: Readonly<Model>): boolean {
    return true
  }
  /** Performs the step. @returns a description of the result */
  abstract act(harness: BillingHarness, model: Model): Promise<string>
  /** Checks the expected result of this step. The general rules are checked after every step. */
  expect(_lane: BillingHarness, _model: Model, _outcome: string): void {}

  async run(model: Model, harness: BillingHarness): Promise<void> {
    harness.advanceClock(1000)
    this.outcome = this.describe(model)
    const result = await this.act(harness, model)
    this.outcome = `${this.outcome}: ${result}`
    await checkInvariants(harness, model)
    this.expect(harness, model, result)
  }

  toString(): string {
    return this.outcome || this.describe()
  }
}

/** Log messages that a network fault causes. They are not bugs of the site. */
const expectedErrors = ['a refund failed at the gateway']

/** Reads the books of the site and of its gateway, and checks them against the rules. */
export async function checkInvariants(harness: BillingHarness, model: Model): Promise<void> {
  model.before = model.books
  model.books = await readBooks(harness.pool, harness.gateway)
  const errors = harness.errors
    .splice(0)
    .filter((entry) => !expectedErrors.some((usual) => entry.includes(usual)))
  if (errors.length > 0) throw new Error(`the site logged an error: ${errors.join('')}`)
  checkBooks(model)
  checkEndedSubscriptions(model)
  const now = new Date(harness.now())
  for (const userId of new Set(model.books.orders.map(({ user_id }) => user_id))) {
    const rights = await loadVideoEntitlements(harness.db, userId, harness.videoId, now)
    const context = { gateways: [harness.gateway], clock: { now: () => now } }
    const membership = await loadMembership(context, harness.db, { userId, isStored: true }, 'en')
    checkAccess(model, { userId, now: harness.now(), covers: rights.covers, membership })
  }
}

/**
 * Checks the end of a sequence: no payment is open, lost, duplicated or without its entitlement, and the ledger agrees
 * with the gateway.
 */
export async function checkFinalState(
  { db, gateway }: BillingHarness,
  { reportedPaid }: Model,
): Promise<void> {
  const sales = [...reportedPaid].map((orderId) => ({
    orderId,
    gateway: gateway.id,
    status: 'paid' as const,
  }))
  const {
    sales: _sales,
    renewals: _renewals,
    refunds: _refunds,
    gateway: _gateway,
    ledgerCents,
    gatewayCents,
    ...wrongs
  } = await countBillingErrors(db, gateway, sales)
  ensure(ledgerCents === gatewayCents, 'the site’s ledger agrees with the gateway', {
    ledgerCents,
    gatewayCents,
  })
  for (const [what, count] of Object.entries({ ...wrongs, ...(await countUnfinished(db)) }))
    ensure(count === 0, `a sequence ends without ${what}`, count)
}
