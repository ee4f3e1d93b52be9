import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { hourMs } from '#server/platform/clock.ts'
import type { BillingLane } from './billing-lane.ts'
import type { Model } from './model.ts'
import { arrive, passTime, runJobs } from './pass-time.ts'
import { Step } from './step.ts'
import { withFault } from './with-fault.ts'

/**
 * Known limitation: if a payment's state stays unknown for longer than the grace period, its subscription is neither active nor
 * ended. Until that is fixed, no fault lasts as long as the grace period of the shortest plan.
 */
const longestFaultMs = 20 * hourMs

/** Lets time pass: the site runs, is down and restarts, or has gateway faults. */
export class Wait extends Step {
  readonly hours: number
  readonly how: 'up' | 'down' | 'the request is lost' | 'the answer is lost' | 'no answers'
  constructor({ hours, how }: { hours: number; how: Wait['how'] }) {
    super()
    this.hours = hours
    this.how = how
  }
  override check({ orders }: Readonly<Model>): boolean {
    return orders.length > 0
  }
  describe(): string {
    const state = { up: '', down: ' while the site is down' }[this.how as string] ?? ` (${this.how})`
    return `${this.hours} hours pass${state}`
  }
  async act(lane: BillingLane, model: Model): Promise<string> {
    const { hours, how } = this
    await arrive(lane)
    if (how === 'up') await passTime(lane, hours * hourMs)
    else if (how === 'down') {
      lane.moveOn(hours * hourMs)
      await runJobs(lane)
    } else {
      await withFault(lane, model, how, () => passTime(lane, Math.min(hours * hourMs, longestFaultMs)))
      await arrive(lane)
      await passTime(lane, hourMs)
    }
    return 'done'
  }
}

/** Runs the hourly reconciliation with the gateway. */
export class Reconcile extends Step {
  override check({ books }: Readonly<Model>): boolean {
    return books.payments.length > 0
  }
  describe(): string {
    return 'the site reconciles'
  }
  async act({ context }: BillingLane): Promise<string> {
    await reconcile(context)
    return 'done'
  }
}

/** Runs two steps concurrently. */
export class AtOnce extends Step {
  readonly both: readonly [Step, Step]
  constructor(both: readonly [Step, Step]) {
    super()
    this.both = both
  }
  override check(model: Readonly<Model>): boolean {
    return this.both.every((step) => step.check(model))
  }
  describe(model?: Model): string {
    return this.both.map((step) => step.describe(model)).join(', and at the same time ')
  }
  async act(lane: BillingLane, model: Model): Promise<string> {
    const outcomes = await Promise.all(this.both.map((step) => step.act(lane, model)))
    return outcomes.join(', ')
  }
}
