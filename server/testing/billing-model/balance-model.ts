/** A lot of the balance, with only the fields that are needed to predict the balance. */
interface Lot {
  topUp: number
  kind: 'paid' | 'bonus'
  remaining: number
  deducted: number
  /** Debited amount that exceeded the remaining money of the lot. */
  lost: number
  expiresAt: number
}

interface Purchase {
  /** Sequence number of the purchase. */
  number: number
  live: boolean
  parts: { lot: Lot; cents: number }[]
}

interface TopUpState {
  amount: number
  refunded: number
  dispute: 'none' | 'open' | 'won' | 'lost'
  /** Amount that the dispute has debited. */
  disputed: number
  /** Set when the bonus is withdrawn: the amount that has been taken from the paid lot until then. */
  closedAt?: number
}

/**
 * Predicts the balance of a user. Each method models one request to the site. It does nothing if the site must refuse
 * the request.
 */
export class BalanceModel {
  readonly lots: Lot[] = []
  readonly topUps: TopUpState[] = []
  /** The latest purchase of each episode, by the episode's number. */
  readonly bought = new Map<number, Purchase>()
  private purchases = 0

  topUp(amount: number, bonus: number, expiresAt: number): void {
    const topUp = this.topUps.push({ amount, refunded: 0, dispute: 'none', disputed: 0 }) - 1
    this.lots.push({ topUp, kind: 'paid', remaining: amount, deducted: 0, lost: 0, expiresAt: Infinity })
    if (bonus > 0) this.lots.push({ topUp, kind: 'bonus', remaining: bonus, deducted: 0, lost: 0, expiresAt })
  }

  /** Pays for an episode from the balance. @returns whether the site must accept the purchase */
  buy(episode: number, cents: number, now: number): boolean {
    const usable = this.lots.filter(({ expiresAt, remaining }) => expiresAt > now && remaining > 0)
    const available = usable.reduce((sum, { remaining }) => sum + remaining, 0)
    if (this.bought.get(episode)?.live || available < cents) return false
    const order = usable.toSorted(
      (a, b) => a.kind.localeCompare(b.kind) || (a.expiresAt === b.expiresAt ? 0 : a.expiresAt - b.expiresAt),
    )
    const parts: Purchase['parts'] = []
    let rest = cents
    for (const lot of order) {
      const part = Math.min(rest, lot.remaining)
      if (part > 0) parts.push({ lot, cents: part })
      lot.remaining -= part
      rest -= part
    }
    this.bought.set(episode, { number: ++this.purchases, live: true, parts })
    return true
  }

  /**
   * Refunds an amount of a purchase to the lots that paid for it. The default is the whole amount that is not refunded
   * yet. If a lot has a loss, the refunded money first covers the loss.
   */
  refundPurchase(episode: number, cents?: number): void {
    const bought = this.bought.get(episode)
    const refundableCents = bought?.parts.reduce((sum, part) => sum + part.cents, 0) ?? 0
    if (bought?.live && (cents ?? 0) <= refundableCents) this.restoreToLots(bought, cents ?? refundableCents)
  }

  /** Returns money to lots: paid lots before bonus lots, and lots of the latest top-up first. */
  private restoreToLots(bought: Purchase, cents: number): void {
    const parts = bought.parts.toSorted(
      (a, b) => b.lot.kind.localeCompare(a.lot.kind) || b.lot.topUp - a.lot.topUp,
    )
    let rest = cents
    for (const part of parts) {
      const back = Math.min(rest, part.cents)
      part.cents -= back
      part.lot.remaining += back
      rest -= back
    }
    bought.live = bought.parts.some((part) => part.cents > 0)
    for (const index of new Set(bought.parts.map(({ lot }) => lot.topUp))) {
      this.recoverLoss(index)
      this.takeClosedBonus(index)
    }
  }

  /** Refunds an amount of a top-up. The default is the unspent paid money minus the spent bonus. */
  refundTopUp(index: number, requestedCents?: number): void {
    const topUp = this.topUps[index]
    const paid = this.lotOf(index, 'paid')
    if (!topUp || !paid || topUp.dispute === 'open' || topUp.dispute === 'lost') return
    const rest = topUp.amount - topUp.refunded
    const cents = requestedCents ?? Math.min(paid.remaining - this.spentBonus(index), rest)
    if (cents <= 0 || cents > rest) return
    topUp.refunded += cents
    this.deductOrRecordLoss(paid, cents)
    this.closeBonus(index)
  }

  /** Debits the amount of a top-up that is not refunded, then reverses the purchases that it paid for, latest first. */
  dispute(index: number): void {
    const topUp = this.topUps[index]
    const paid = this.lotOf(index, 'paid')
    if (!topUp || !paid || topUp.dispute !== 'none' || topUp.refunded === topUp.amount) return
    topUp.dispute = 'open'
    topUp.disputed = topUp.amount - topUp.refunded
    this.deductOrRecordLoss(paid, topUp.disputed)
    for (const bought of this.livePurchases().toReversed())
      if (bought.parts.some(({ lot, cents }) => cents > 0 && lot.topUp === index))
        this.restoreToLots(bought, Infinity)
    this.closeBonus(index)
  }

  resolveDispute(index: number, outcome: 'won' | 'lost'): void {
    const topUp = this.topUps[index]
    const paid = this.lotOf(index, 'paid')
    if (topUp?.dispute !== 'open' || !paid) return
    topUp.dispute = outcome
    if (outcome === 'lost') return
    const lost = Math.min(topUp.disputed, paid.lost)
    paid.lost -= lost
    this.deduct(paid, lost - topUp.disputed)
    const bonus = this.lotOf(index, 'bonus')
    if (!bonus || topUp.closedAt === undefined || topUp.refunded >= topUp.closedAt) return
    // The dispute had reversed all purchases that the bonus had paid for, so no amount is set off.
    delete topUp.closedAt
    this.deduct(bonus, -bonus.deducted)
  }

  expire(now: number): void {
    for (const lot of this.lots) if (lot.expiresAt <= now) lot.remaining = 0
  }

  available(kind: Lot['kind'], now: number): number {
    const own = this.lots.filter((lot) => lot.kind === kind && lot.expiresAt > now)
    return own.reduce((sum, { remaining }) => sum + remaining, 0)
  }

  private deduct(lot: Lot, cents: number): void {
    lot.remaining -= cents
    lot.deducted += cents
  }

  private deductOrRecordLoss(lot: Lot, cents: number): void {
    const deducted = Math.min(lot.remaining, cents)
    this.deduct(lot, deducted)
    lot.lost += cents - deducted
  }

  private recoverLoss(topUp: number): void {
    const paid = this.lotOf(topUp, 'paid')
    if (!paid) return
    const cents = Math.min(paid.lost, paid.remaining)
    paid.lost -= cents
    this.deduct(paid, cents)
  }

  /**
   * Withdraws the bonus of a top-up whose money was taken. Paid money replaces the part of the bonus that was spent;
   * the rest is deleted.
   */
  private closeBonus(index: number): void {
    const [paid, bonus, topUp] = [this.lotOf(index, 'paid'), this.lotOf(index, 'bonus'), this.topUps[index]]
    if (!paid || !bonus || !topUp || topUp.closedAt !== undefined || paid.remaining > this.spentBonus(index))
      return
    topUp.closedAt = paid.deducted + paid.lost
    for (const { parts } of this.livePurchases())
      for (const part of parts.filter(({ lot }) => lot === bonus)) {
        const cents = Math.min(paid.remaining, part.cents)
        part.cents -= cents
        parts.push({ lot: paid, cents })
        paid.remaining -= cents
        bonus.remaining += cents
      }
    this.takeClosedBonus(index)
  }

  private takeClosedBonus(index: number): void {
    const bonus = this.lotOf(index, 'bonus')
    if (bonus && this.topUps[index]?.closedAt !== undefined) this.deduct(bonus, bonus.remaining)
  }

  private spentBonus(topUp: number): number {
    const bonus = this.lotOf(topUp, 'bonus')
    const parts = this.livePurchases().flatMap((one) => one.parts)
    return parts.reduce((sum, { lot, cents }) => sum + (lot === bonus ? cents : 0), 0)
  }

  private livePurchases(): Purchase[] {
    return [...this.bought.values()].filter(({ live }) => live).toSorted((a, b) => a.number - b.number)
  }

  private lotOf(topUp: number, kind: Lot['kind']): Lot | undefined {
    return this.lots.find((lot) => lot.topUp === topUp && lot.kind === kind)
  }
}
