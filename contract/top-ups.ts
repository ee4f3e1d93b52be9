import { Type, type Static } from 'typebox'
import { Cents, Currency, Id, Time, stringEnum } from './schemas.ts'

/** A top-up of the balance that is on sale. */
export const TopUp = Type.Object({
  id: Id,
  price_cents: Cents,
  /** The bonus that is added to the balance in addition to the price. */
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
  /** The amount that a refund would return now: the paid money, less the spent bonus of the same top-ups. */
  refundable_cents: Cents,
  /** The bonus money that expires next, and when. */
  bonus_expiring: Type.Optional(Type.Object({ cents: Cents, at: Time })),
})
export type Balance = Static<typeof Balance>

/** What would be lost with an account that is deleted. */
export const RemainingBalance = Type.Object({
  currency: Currency,
  /** The paid money that is left. */
  amount_cents: Cents,
  /** What of it a refund would send back now; the rest can only be spent. */
  refundable_cents: Cents,
})
export type RemainingBalance = Static<typeof RemainingBalance>

/** What a refused purchase says: the price, and of the balance what there is and what is missing. */
export const PriceRefusal = Type.Object({
  amount_cents: Type.Optional(Cents),
  /** For a top-up: its current bonus. */
  bonus_cents: Type.Optional(Cents),
  currency: Type.Optional(Currency),
  available_cents: Type.Optional(Cents),
  missing_cents: Type.Optional(Cents),
})

/** A person's agreement that the next episodes of a drama are unlocked from the balance. */
export const AutoUnlock = Type.Object({
  video_id: Id,
  /** How many episodes within 24 hours at most, and how many of those are left now. */
  daily_limit: Type.Integer(),
  remaining_today: Type.Integer(),
  /** The most that an episode may cost. */
  max_price_cents: Cents,
  currency: Currency,
})
export type AutoUnlock = Static<typeof AutoUnlock>

/** What the balance can do for a locked episode: part of its offer while balances are on. */
export const BalanceOffer = Type.Object({
  currency: Currency,
  available_cents: Cents,
  bonus_cents: Cents,
  /** The purchases that it covers in one request. */
  covers: Type.Array(stringEnum(['episode', 'video'])),
  /** True if it covers the cheapest one-off purchase: the episode, unless the whole video costs less. */
  covers_cheapest: Type.Boolean(),
  cheapest: Type.Object({
    kind: stringEnum(['episode', 'video']),
    amount_cents: Cents,
    discount_cents: Cents,
  }),
  /** Where the next episodes of the drama are unlocked automatically. */
  auto_unlock: Type.Optional(AutoUnlock),
  /** The top-ups of this currency. */
  top_ups: Type.Array(TopUp),
})
export type BalanceOffer = Static<typeof BalanceOffer>
