import type { Funding } from '#server/features/billing/gateways/paypal/fake/fake-orders.ts'
import type { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'

interface ScenarioOptions {
  random?: () => number
  now: () => Date
  /** Probability that a step disturbs a successful payment. */
  odds?: number
}

/**
 * Simulates the later life of PayPal payments: pending captures that succeed or fail, disputes in every state of their capture,
 * reversals, and partial refunds that succeed or fail.
 */
export class PaypalScenarios {
  readonly met: Record<string, number> = {}
  private readonly paypal: FakePaypal
  private readonly random: () => number
  private readonly now: () => Date
  private readonly odds: number
  private readonly touched = new Set<string>()
  private readonly turns = new Map<string, number>()
  private planned: { steps: number; work: () => void }[] = []

  constructor(paypal: FakePaypal, { random = Math.random, now, odds = 0.05 }: ScenarioOptions) {
    this.paypal = paypal
    this.random = random
    this.now = now
    this.odds = odds
  }

  private pick<T>(...choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.random() * choices.length)]
  }

  /** Returns each of the choices in turn, so that a year covers them all. */
  private turn<T>(name: string, choices: readonly T[]): T | undefined {
    const taken = this.turns.get(name) ?? 0
    this.turns.set(name, taken + 1)
    return choices[taken % choices.length]
  }

  private later(work: () => void): void {
    this.planned.push({ steps: 1 + Math.floor(this.random() * 3), work })
  }

  /** Runs one step of every kind: funding, planned work, and a new disturbance. */
  step(): void {
    this.fund()
    this.passStep()
    this.change()
  }

  /** Chooses how wallets pay until the next step. */
  fund(): void {
    for (const vault of this.paypal.orders.vault.keys())
      this.paypal.orders.vault.set(
        vault,
        this.pick<Funding>('pays', 'pays', 'pays', 'pending', 'declined') ?? 'pays',
      )
  }

  change(): void {
    for (const [id, { captures }] of this.paypal.orders.all) {
      const [capture] = captures
      if (!capture || this.touched.has(id)) continue
      if (capture.status === 'PENDING') this.begin(id, 'pending', () => this.decide(id))
      else if (capture.status === 'COMPLETED' && this.random() < this.odds) this.disturb(id, capture)
    }
  }

  /** Runs the events planned for this step. */
  passStep(): void {
    for (const one of this.planned) one.steps--
    const due = this.planned.filter(({ steps }) => steps <= 0)
    this.planned = this.planned.filter(({ steps }) => steps > 0)
    for (const { work } of due) work()
  }

  /** Makes every wallet pay from now on, and completes what is pending. */
  end(): void {
    for (const vault of this.paypal.orders.vault.keys()) this.paypal.orders.vault.set(vault, 'pays')
    for (const [id, { captures }] of this.paypal.orders.all)
      if (captures[0]?.status === 'PENDING' && !this.touched.has(id))
        this.paypal.orders.decide(id, 'COMPLETED')
  }

  get isOver(): boolean {
    return this.planned.length === 0
  }

  private begin(id: string, what: string, after: () => void): void {
    this.touched.add(id)
    this.met[what] = (this.met[what] ?? 0) + 1
    this.later(after)
  }

  private decide(id: string): void {
    const end = this.turn('decide', ['COMPLETED', 'COMPLETED', 'DECLINED'] as const) ?? 'COMPLETED'
    this.met[end] = (this.met[end] ?? 0) + 1
    this.paypal.orders.decide(id, end)
  }

  private disturb(
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
    switch (this.turn('disturb', ['disputed', 'doubted', 'reversed', 'partly refunded', 'refund pending'])) {
      case 'disputed': {
        orders.dispute(id, 'open', now)
        const status = this.turn('dispute', ['PENDING', 'DECLINED', 'REVERSED', 'COMPLETED']) ?? 'PENDING'
        capture.status = status
        return this.begin(id, `disputed ${status}`, () => {
          const isWon = status !== 'REVERSED' && this.turn('bank', [true, false])
          orders.dispute(id, isWon ? 'won' : 'lost', now)
          if (isWon) restore()
        })
      }
      case 'doubted':
        capture.status = this.turn('doubt', ['PENDING', 'DECLINED', 'DENIED']) ?? 'PENDING'
        orders.tellOfCapture(orders.get(id), capture.status)
        return this.begin(id, `doubted ${capture.status}`, restore)
      case 'reversed':
        capture.status = 'REVERSED'
        orders.tellOfCapture(orders.get(id), 'REVERSED')
        return this.begin(id, 'reversed', () => {})
      case 'partly refunded':
        orders.refund(capture.id, { amount: part })
        return this.begin(id, 'partly refunded', () => {})
      default: {
        orders.refundsBegin = 'PENDING'
        const refund = orders.refund(capture.id, { amount: part })
        orders.refundsBegin = 'COMPLETED'
        return this.begin(id, 'refund pending', () => {
          if (this.random() < 0.5) orders.failRefunds(id)
          else refund.status = 'COMPLETED'
        })
      }
    }
  }
}
