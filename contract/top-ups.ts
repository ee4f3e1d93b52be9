import { Type, type Static } from 'typebox'
import { Cents, Currency, Id, Time, stringEnum } from './schemas.ts'

/** A top-up of the balance that is on sale. */
export const TopUp = Type.Object({
  id: Id,
  price_cents: Cents,
  /** The bonus that the balance receives in addition to the price. */
  bonus_cents: Cents,
  /** The number of days until the bonus expires; it does not expire if omitted. */
  bonus_days: Type.Optional(Type.Integer()),
  currency: Currency,
})
export type TopUp = Static<typeof TopUp>

/** A customer's balance in one currency. Bonus money is spent first, the earliest expiry first. */
export const Balance = Type.Object({
  currency: Currency,
  /** Paid plus bonus money. */
  available_cents: Cents,
  paid_cents: Cents,
  bonus_cents: Cents,
  /**
   * The amount that a refund would return now: the remaining paid money of each top-up, minus the spent part of its
   * bonus.
   */
  refundable_cents: Cents,
  /** The bonus money that expires next, and when. */
  bonus_expiring: Type.Optional(Type.Object({ cents: Cents, at: Time })),
})
export type Balance = Static<typeof Balance>

/** The paid money that would be lost if the account were deleted. */
export const RemainingBalance = Type.Object({
  currency: Currency,
  /** The remaining paid money. */
  amount_cents: Cents,
  /** The part that a refund would return now; the rest can only be spent. */
  refundable_cents: Cents,
})
export type RemainingBalance = Static<typeof RemainingBalance>

/** The `info` of a refused purchase: the current price, and the available and the missing amount of the balance. */
export const PriceRefusal = Type.Object({
  amount_cents: Type.Optional(Cents),
  /** For a top-up: its current bonus. */
  bonus_cents: Type.Optional(Cents),
  currency: Type.Optional(Currency),
  available_cents: Type.Optional(Cents),
  missing_cents: Type.Optional(Cents),
})

/** A customer's consent that the next episodes of a drama are unlocked from the balance. */
export const AutoUnlock = Type.Object({
  video_id: Id,
  /** Maximum number of automatic unlocks within 24 hours; `remaining_today` is how many of them are left. */
  daily_limit: Type.Integer(),
  remaining_today: Type.Integer(),
  /** Maximum price of an episode that is unlocked automatically. */
  max_price_cents: Cents,
  currency: Currency,
})
export type AutoUnlock = Static<typeof AutoUnlock>

/** The viewer's balance in the offer of a locked episode, while balances are enabled. */
export const BalanceOffer = Type.Object({
  currency: Currency,
  available_cents: Cents,
  bonus_cents: Cents,
  /** The purchases that the balance can pay for. */
  covers: Type.Array(stringEnum(['episode', 'video'])),
  /** True if the balance can pay for the cheapest one-off purchase: the episode, unless the whole video costs less. */
  covers_cheapest: Type.Boolean(),
  cheapest: Type.Object({
    kind: stringEnum(['episode', 'video']),
    amount_cents: Cents,
    discount_cents: Cents,
  }),
  /** Set if auto-unlock is on for the drama. */
  auto_unlock: Type.Optional(AutoUnlock),
  /** The top-ups of this currency. */
  top_ups: Type.Array(TopUp),
})
export type BalanceOffer = Static<typeof BalanceOffer>
