import type { Funding } from '#server/features/billing/gateways/paypal/fake/fake-orders.ts'
import type { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'

interface ScenarioOptions {
  random?: () => number
  now: () => Date
  /** Probability that a step starts a scenario for a successful payment. */
  odds?: number
}

/**
 * Simulates what can happen to PayPal payments later: pending captures that succeed or fail, disputes in each state of
 * the capture, reversals, and partial refunds that succeed or fail.
 */
export class PaypalScenarios {
  readonly eventCounts: Record<string, number> = {}
  private readonly paypal: FakePaypal
  private readonly random: () => number
  private readonly now: () => Date
  private readonly eventProbability: number
  private readonly changedOrders = new Set<string>()
  private readonly turns = new Map<string, number>()
  private scheduled: { steps: number; work: () => void }[] = []

  constructor(paypal: FakePaypal, { random = Math.random, now, odds = 0.05 }: ScenarioOptions) {
    this.paypal = paypal
    this.random = random
    this.now = now
    this.eventProbability = odds
  }

  private pick<T>(...choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.random() * choices.length)]
  }

  /** Returns each choice in turn, so that a simulated year covers all of them. */
  private takeTurn<T>(name: string, choices: readonly T[]): T | undefined {
    const turn = this.turns.get(name) ?? 0
    this.turns.set(name, turn + 1)
    return choices[turn % choices.length]
  }

  private schedule(work: () => void): void {
    this.scheduled.push({ steps: 1 + Math.floor(this.random() * 3), work })
  }

  /** Runs one step: chooses how wallets pay, runs planned events, and starts new scenarios. */
  step(): void {
    this.fund()
    this.runDueEvents()
    this.startRandomEvents()
  }

  /** Chooses how wallets pay until the next step. */
  fund(): void {
    for (const vault of this.paypal.orders.vault.keys())
      this.paypal.orders.vault.set(
        vault,
        this.pick<Funding>('pays', 'pays', 'pays', 'pending', 'declined') ?? 'pays',
      )
  }

  startRandomEvents(): void {
    for (const [id, { captures }] of this.paypal.orders.all) {
      const [capture] = captures
      if (!capture || this.changedOrders.has(id)) continue
      if (capture.status === 'PENDING') this.startEvent(id, 'pending', () => this.decide(id))
      else if (capture.status === 'COMPLETED' && this.random() < this.eventProbability)
        this.disruptCapture(id, capture)
    }
  }

  /** Runs the events that are planned for this step. */
  runDueEvents(): void {
    for (const one of this.scheduled) one.steps--
    const due = this.scheduled.filter(({ steps }) => steps <= 0)
    this.scheduled = this.scheduled.filter(({ steps }) => steps > 0)
    for (const { work } of due) work()
  }

  /** Makes all wallets pay successfully from now on, and completes pending payments. */
  finishPending(): void {
    for (const vault of this.paypal.orders.vault.keys()) this.paypal.orders.vault.set(vault, 'pays')
    for (const [id, { captures }] of this.paypal.orders.all)
      if (captures[0]?.status === 'PENDING' && !this.changedOrders.has(id))
        this.paypal.orders.decideCaptures(id, 'COMPLETED')
  }

  get isIdle(): boolean {
    return this.scheduled.length === 0
  }

  private startEvent(id: string, what: string, after: () => void): void {
    this.changedOrders.add(id)
    this.eventCounts[what] = (this.eventCounts[what] ?? 0) + 1
    this.schedule(after)
  }

  private decide(id: string): void {
    const end = this.takeTurn('decide', ['COMPLETED', 'COMPLETED', 'DECLINED'] as const) ?? 'COMPLETED'
    this.eventCounts[end] = (this.eventCounts[end] ?? 0) + 1
    this.paypal.orders.decideCaptures(id, end)
  }

  private disruptCapture(
    id: string,
    capture: { id: string; status: string; amount: { currency_code: string; value: string } },
  ): void {
    const { orders } = this.paypal
    const now = this.now()
    const restore = () => void (capture.status = 'COMPLETED')
    const part = {
      currency_code: capture.amount.currency_code,
      value: (Number(capture.amount.value) / 2).toFixed(2),
    }
    switch (
      this.takeTurn('disturb', ['disputed', 'doubted', 'reversed', 'partly refunded', 'refund pending'])
    ) {
      case 'disputed': {
        orders.dispute(id, 'open', now)
        const status = this.takeTurn('dispute', ['PENDING', 'DECLINED', 'REVERSED', 'COMPLETED']) ?? 'PENDING'
        capture.status = status
        return this.startEvent(id, `disputed ${status}`, () => {
          const isWon = status !== 'REVERSED' && this.takeTurn('bank', [true, false])
          orders.dispute(id, isWon ? 'won' : 'lost', now)
          if (isWon) restore()
        })
      }
      case 'doubted':
        capture.status = this.takeTurn('doubt', ['PENDING', 'DECLINED', 'DENIED']) ?? 'PENDING'
        orders.emitCaptureEvent(orders.get(id), capture.status)
        return this.startEvent(id, `doubted ${capture.status}`, restore)
      case 'reversed':
        capture.status = 'REVERSED'
        orders.emitCaptureEvent(orders.get(id), 'REVERSED')
        return this.startEvent(id, 'reversed', () => {})
      case 'partly refunded':
        orders.refund(capture.id, { amount: part })
        return this.startEvent(id, 'partly refunded', () => {})
      default: {
        orders.initialRefundStatus = 'PENDING'
        const refund = orders.refund(capture.id, { amount: part })
        orders.initialRefundStatus = 'COMPLETED'
        return this.startEvent(id, 'refund pending', () => {
          if (this.random() < 0.5) orders.failRefunds(id)
          else refund.status = 'COMPLETED'
        })
      }
    }
  }
}
