/** A lot in the model of a user's balance, which has only what is needed to predict the balance. */
interface Lot {
  topUp: number
  kind: 'paid' | 'bonus'
  left: number
  taken: number
  /** The amount that was debited beyond the rest of the lot. */
  lost: number
  expiresAt: number
}

interface Bought {
  /** The order of the purchases. */
  number: number
  live: boolean
  parts: { lot: Lot; cents: number }[]
}

interface ToppedUp {
  amount: number
  refunded: number
  dispute: 'none' | 'open' | 'won' | 'lost'
  /** The amount that the dispute debited. */
  disputed: number
}

/** The expected balance of a user. Each method models one request to the site, and does nothing if the site must refuse it. */
export class BalanceModel {
  readonly lots: Lot[] = []
  readonly topUps: ToppedUp[] = []
  /** The latest purchase of each episode number. */
  readonly bought = new Map<number, Bought>()
  private purchases = 0

  topUp(amount: number, bonus: number, expiresAt: number): void {
    const topUp = this.topUps.push({ amount, refunded: 0, dispute: 'none', disputed: 0 }) - 1
    this.lots.push({ topUp, kind: 'paid', left: amount, taken: 0, lost: 0, expiresAt: Infinity })
    if (bonus > 0) this.lots.push({ topUp, kind: 'bonus', left: bonus, taken: 0, lost: 0, expiresAt })
  }

  /** @returns whether it must be paid */
  buy(episode: number, cents: number, now: number): boolean {
    const usable = this.lots.filter(({ expiresAt, left }) => expiresAt > now && left > 0)
    const available = usable.reduce((sum, { left }) => sum + left, 0)
    if (this.bought.get(episode)?.live || available < cents) return false
    const order = usable.toSorted(
      (a, b) => a.kind.localeCompare(b.kind) || (a.expiresAt === b.expiresAt ? 0 : a.expiresAt - b.expiresAt),
    )
    const parts: Bought['parts'] = []
    let rest = cents
    for (const lot of order) {
      const part = Math.min(rest, lot.left)
      if (part > 0) parts.push({ lot, cents: part })
      lot.left -= part
      rest -= part
    }
    this.bought.set(episode, { number: ++this.purchases, live: true, parts })
    return true
  }

  /** Returns a purchase to the lots that it was paid from, covering losses of their top-ups first. */
  refundPurchase(episode: number): void {
    const bought = this.bought.get(episode)
    if (bought?.live) this.giveBack(bought)
  }

  private giveBack(bought: Bought): void {
    bought.live = false
    for (const { lot, cents } of bought.parts) lot.left += cents
    for (const index of new Set(bought.parts.map(({ lot }) => lot.topUp))) {
      this.makeLossGood(index)
      this.closeBonus(index)
    }
  }

  /** Refunds the unspent part of a top-up to its payment, less the spent part of its bonus. */
  refundTopUp(index: number): void {
    const topUp = this.topUps[index]
    const paid = this.lotOf(index, 'paid')
    if (!topUp || !paid || topUp.dispute === 'open' || topUp.dispute === 'lost') return
    const cents = Math.min(paid.left - this.spentBonus(index), topUp.amount - topUp.refunded)
    if (cents <= 0) return
    topUp.refunded += cents
    this.take(paid, cents)
    this.closeBonus(index)
  }

  /** Debits the rest of a top-up, then the purchases made with it, the latest first. */
  dispute(index: number): void {
    const topUp = this.topUps[index]
    const paid = this.lotOf(index, 'paid')
    if (!topUp || !paid || topUp.dispute !== 'none' || topUp.refunded === topUp.amount) return
    topUp.dispute = 'open'
    topUp.disputed = topUp.amount - topUp.refunded
    const taken = Math.min(paid.left, topUp.disputed)
    this.take(paid, taken)
    paid.lost += topUp.disputed - taken
    for (const bought of this.livePurchases().toReversed())
      if (bought.parts.some(({ lot, cents }) => cents > 0 && lot.topUp === index)) this.giveBack(bought)
    this.closeBonus(index)
  }

  end(index: number, outcome: 'won' | 'lost'): void {
    const topUp = this.topUps[index]
    const paid = this.lotOf(index, 'paid')
    if (topUp?.dispute !== 'open' || !paid) return
    topUp.dispute = outcome
    if (outcome === 'lost') return
    this.take(paid, -topUp.disputed)
    const bonus = this.lotOf(index, 'bonus')
    if (bonus && topUp.refunded === 0) this.take(bonus, -bonus.taken)
  }

  expire(now: number): void {
    for (const lot of this.lots) if (lot.expiresAt <= now) lot.left = 0
  }

  available(kind: Lot['kind'], now: number): number {
    const own = this.lots.filter((lot) => lot.kind === kind && lot.expiresAt > now)
    return own.reduce((sum, { left }) => sum + left, 0)
  }

  private take(lot: Lot, cents: number): void {
    lot.left -= cents
    lot.taken += cents
  }

  private makeLossGood(topUp: number): void {
    const paid = this.lotOf(topUp, 'paid')
    if (!paid) return
    const cents = Math.min(paid.lost, paid.left)
    paid.lost -= cents
    this.take(paid, cents)
  }

  /** Removes the bonus of a debited top-up: paid money covers the spent part, and the rest is taken. */
  private closeBonus(topUp: number): void {
    const [paid, bonus] = [this.lotOf(topUp, 'paid'), this.lotOf(topUp, 'bonus')]
    if (!paid || !bonus || paid.taken + paid.lost === 0 || paid.left > this.spentBonus(topUp)) return
    for (const { parts } of this.livePurchases())
      for (const part of parts.filter(({ lot }) => lot === bonus)) {
        const cents = Math.min(paid.left, part.cents)
        part.cents -= cents
        parts.push({ lot: paid, cents })
        paid.left -= cents
        bonus.left += cents
      }
    this.take(bonus, bonus.left)
  }

  private spentBonus(topUp: number): number {
    const bonus = this.lotOf(topUp, 'bonus')
    const parts = this.livePurchases().flatMap((one) => one.parts)
    return parts.reduce((sum, { lot, cents }) => sum + (lot === bonus ? cents : 0), 0)
  }

  private livePurchases(): Bought[] {
    return [...this.bought.values()].filter(({ live }) => live).toSorted((a, b) => a.number - b.number)
  }

  private lotOf(topUp: number, kind: Lot['kind']): Lot | undefined {
    return this.lots.find((lot) => lot.topUp === topUp && lot.kind === kind)
  }
}
