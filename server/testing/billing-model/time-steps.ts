import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { hourMs } from '#server/platform/clock.ts'
import type { BillingHarness } from './billing-harness.ts'
import type { Model } from './model.ts'
import { deliverLateRequests, advanceTime, runJobs } from './advance-time.ts'
import { Step } from './step.ts'
import { withFault } from './with-fault.ts'

/** Maximum duration of a fault: short enough for a renewal to succeed within the grace period of the shortest plan. */
const longestFaultMs = 20 * hourMs

/** Lets time pass while the site runs, is down, or has faults at the gateway. */
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
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const { hours, how } = this
    await deliverLateRequests(harness)
    if (how === 'up') await advanceTime(harness, hours * hourMs)
    else if (how === 'down') {
      harness.advanceClock(hours * hourMs)
      await runJobs(harness)
    } else {
      await withFault(harness, model, how, () =>
        advanceTime(harness, Math.min(hours * hourMs, longestFaultMs)),
      )
      await deliverLateRequests(harness)
      await advanceTime(harness, hourMs)
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
  async act({ context }: BillingHarness): Promise<string> {
    await reconcile(context)
    return 'done'
  }
}

/** Runs two steps concurrently. */
export class RunConcurrently extends Step {
  readonly steps: readonly [Step, Step]
  constructor(both: readonly [Step, Step]) {
    super()
    this.steps = both
  }
  override check(model: Readonly<Model>): boolean {
    return this.steps.every((step) => step.check(model))
  }
  describe(model?: Model): string {
    return this.steps.map((step) => step.describe(model)).join(', and at the same time ')
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const outcomes = await Promise.all(this.steps.map((step) => step.act(harness, model)))
    return outcomes.join(', ')
  }
}
