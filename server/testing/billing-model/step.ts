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

/** What the site answered: that it was done, or why it was refused. */
export type Answer = 'done' | RefusalName

/** Does what may be refused. @throws Error for anything that is no refusal */
export async function answerOf(work: () => Promise<unknown>): Promise<Answer> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (error instanceof Refusal) return error.reason
    throw error
  }
}

/** A sequence begins with a guest and a member who have bought nothing. */
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

/** One step of a sequence: something that a person, the operator, the gateway or the time does. */
export abstract class Step implements fc.AsyncCommand<Model, BillingLane> {
  /** What came of it, for the report of a failure. */
  private outcome = ''

  /** The step in words. */
  abstract describe(model?: Model): string
  /** Whether there is anything that it could be done to. */
  check(_model: Readonly<Model>): boolean {
    return true
  }
  /** @returns what came of it, in words */
  abstract act(lane: BillingLane, model: Model): Promise<string>
  /** What must be true afterwards, beyond the rules that always hold. */
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

/** These say what a fault on the line does, and are no defects of the site. */
const usualErrors = ['a refund did not go through']

/** Reads what the site and its gateway have written down, and holds it against the rules. */
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

/** At the end of a sequence nothing is open, lost, doubled or without its right, and the books agree to the cent. */
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
