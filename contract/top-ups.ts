import { Type, type Static } from 'typebox'
import { Cents, Currency, Id, Time, oneOf } from './shapes.ts'

/** Money for the balance that is on sale. */
export const TopUp = Type.Object({
  id: Id,
  price_cents: Cents,
  /** What is added to the balance beside the price. */
  bonus_cents: Cents,
  /** How many days the bonus lasts; without it, it does not expire. */
  bonus_days: Type.Optional(Type.Integer()),
  currency: Currency,
})
export type TopUp = Static<typeof TopUp>

/** What a person has in one currency. Bonus money is spent first, the earliest expiry first. */
export const Balance = Type.Object({
  currency: Currency,
  /** Paid and bonus money together. */
  available_cents: Cents,
  paid_cents: Cents,
  bonus_cents: Cents,
  /** What a refund would send back now: the paid money, less what was spent of the bonus of the same top-ups. */
  refundable_cents: Cents,
  /** The bonus money that expires next, and when. */
  bonus_expiring: Type.Optional(Type.Object({ cents: Cents, at: Time })),
})
export type Balance = Static<typeof Balance>

/** What a refused purchase says: the price, and of the balance what there is and what is missing. */
export const PriceRefusal = Type.Object({
  amount_cents: Type.Optional(Cents),
  /** Of a top-up: its bonus now. */
  bonus_cents: Type.Optional(Cents),
  currency: Type.Optional(Currency),
  available_cents: Type.Optional(Cents),
  missing_cents: Type.Optional(Cents),
})

/** What the balance can do for a locked episode: part of its offer while balances are on. */
export const BalanceOffer = Type.Object({
  currency: Currency,
  available_cents: Cents,
  bonus_cents: Cents,
  /** What it pays for in one call. */
  covers: Type.Array(oneOf(['episode', 'video'])),
  /** Whether the cheapest one-off purchase is covered, which is the episode unless the whole video costs less. */
  covers_cheapest: Type.Boolean(),
  cheapest: Type.Object({ kind: oneOf(['episode', 'video']), amount_cents: Cents, discount_cents: Cents }),
  /** The top-ups of this currency. */
  top_ups: Type.Array(TopUp),
})
export type BalanceOffer = Static<typeof BalanceOffer>
