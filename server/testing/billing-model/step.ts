import type fc from 'fast-check'
import { Refusal, type RefusalName } from '#contract/errors.ts'
import { membershipOf } from '#server/features/billing/subscriptions/membership.ts'
import { loadRights } from '#server/features/library/library.ts'
import { newId } from '#server/platform/ids.ts'
import { countOpen, countBillingErrors } from './billing-errors.ts'
import type { BillingLane } from './billing-lane.ts'
import { checkAccess, checkBooks, checkEnds, ensure } from './check-books.ts'
import { Model } from './model.ts'
import { readBooks } from './read-books.ts'

/** The site's response: done, or the reason of the refusal. */
export type Answer = 'done' | RefusalName

/** Runs work and returns its result or refusal. @throws Error for anything that is not a refusal */
export async function answerOf(work: () => Promise<unknown>): Promise<Answer> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (error instanceof Refusal) return error.reason
    throw error
  }
}

/** Starts a sequence with a guest and a member without purchases. */
export async function beginSequence(lane: BillingLane): Promise<Model> {
  await lane.reset()
  const [guest = '', member = ''] = [newId('usr'), newId('usr')]
  await lane.db
    .insertInto('users')
    .values(
      [guest, member].map((id) => ({
        id,
        email: null,
        display_name: null,
        language: 'en',
        referral_code: id,
        created_at: new Date(lane.now()),
        member_since: id === member ? new Date(lane.now()) : null,
      })),
    )
    .execute()
  return new Model({ guest, member }, lane, await readBooks(lane.pool, lane.gateway))
}

/** One step of a sequence: an action of a user, the operator or the gateway, or the passing of time. */
export abstract class Step implements fc.AsyncCommand<Model, BillingLane> {
  /** The step's result, for failure reports. */
  private outcome = ''

  /** Describes the step for reports. */
  abstract describe(model?: Model): string
  /** Returns whether the step is applicable. */
  check(_model: Readonly<Model>): boolean {
    return true
  }
  /** @returns a description of the result */
  abstract act(lane: BillingLane, model: Model): Promise<string>
  /** Checks the step's own expectations, beyond the general rules. */
  expect(_lane: BillingLane, _model: Model, _outcome: string): void {}

  async run(model: Model, lane: BillingLane): Promise<void> {
    lane.moveOn(1000)
    this.outcome = this.describe(model)
    const came = await this.act(lane, model)
    this.outcome = `${this.outcome}: ${came}`
    await observe(lane, model)
    this.expect(lane, model, came)
  }

  toString(): string {
    return this.outcome || this.describe()
  }
}

/** Log messages caused by a connection fault, which are not bugs of the site. */
const usualErrors = ['a refund did not go through']

/** Reads the books of the site and its gateway, and checks them against the rules. */
export async function observe(lane: BillingLane, model: Model): Promise<void> {
  model.before = model.books
  model.books = await readBooks(lane.pool, lane.gateway)
  const errors = lane.errors.splice(0).filter((entry) => !usualErrors.some((usual) => entry.includes(usual)))
  if (errors.length > 0) throw new Error(`the site logged an error: ${errors.join('')}`)
  checkBooks(model)
  checkEnds(model)
  const now = new Date(lane.now())
  for (const userId of new Set(model.books.orders.map(({ user_id }) => user_id))) {
    const rights = await loadRights(lane.db, userId, lane.videoId, now)
    const context = { gateways: [lane.gateway], clock: { now: () => now } }
    const membership = await membershipOf(context, lane.db, { userId, kept: true }, 'en')
    checkAccess(model, { userId, now: lane.now(), covers: rights.covers, membership })
  }
}

/** Checks the end of a sequence: nothing is open, lost, duplicated or without its entitlement, and the books agree to the cent. */
export async function checkEnd({ db, gateway }: BillingLane, { toldPaid }: Model): Promise<void> {
  const sales = [...toldPaid].map((orderId) => ({ orderId, gateway: gateway.id, status: 'paid' as const }))
  const {
    sales: _sales,
    renewals: _renewals,
    refunds: _refunds,
    gateway: _gateway,
    ours,
    theirs,
    ...wrongs
  } = await countBillingErrors(db, gateway, sales)
  ensure(ours === theirs, 'our ledger agrees with the gateway', { ours, theirs })
  for (const [what, count] of Object.entries({ ...wrongs, ...(await countOpen(db)) }))
    ensure(count === 0, `nothing is wrong at the end: ${what}`, count)
}
