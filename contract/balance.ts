import { Type, type Static } from 'typebox'
import { OfferedGateway, Order, SavedPaymentMethod } from './billing.ts'
import { endpoint } from './endpoint.ts'
import { Cents, Currency, Id, Time, pageOf, stringEnum, pagingFields } from './schemas.ts'
import { AutoUnlock, Balance, PriceRefusal, TopUp } from './top-ups.ts'

/** The reasons for a change of the balance. */
export const balanceEntryKinds = [
  'top_up',
  'purchase',
  /** A purchase was refunded to the balance. */
  'refund',
  /** A top-up was refunded to its payment method. */
  'top_up_refund',
  'chargeback',
  /** The refund of a top-up failed, or the site won a dispute about a top-up. The money returned to the balance. */
  'restored',
  /**
   * A top-up was refunded after its bonus had paid for purchases. The spent bonus is now charged to the top-up's
   * remaining paid money.
   */
  'bonus_set_off',
  'bonus_expired',
  /** The account was deleted. */
  'forfeited',
] as const

/** A change of the balance, as listed in its statement. */
export const BalanceEntry = Type.Object({
  id: Id,
  kind: stringEnum(balanceEntryKinds),
  currency: Currency,
  /** The change of the balance; positive if money was added. */
  amount_cents: Type.Integer(),
  /** The part of `amount_cents` that is bonus money. */
  bonus_cents: Type.Integer(),
  at: Time,
  order_id: Id,
  video_id: Type.Optional(Id),
  episode_id: Type.Optional(Id),
  episode_number: Type.Optional(Type.Integer()),
})
export type BalanceEntry = Static<typeof BalanceEntry>

/** Upper bound of `daily_limit`: the episodes of a drama that auto-unlock may buy within 24 hours. */
export const maxAutoUnlocksPerDay = 50

export const getBalance = endpoint({
  method: 'GET',
  path: '/api/balance',
  summary: 'Returns the balance, the top-ups on sale, and the dramas with auto-unlock',
  refuses: ['signInRequired', 'balanceDisabled'],
  info: Type.Object({
    /** False while balances are disabled on the site; the remaining balance can then only be refunded. */
    enabled: Type.Boolean(),
    /** One entry per currency with money. */
    balances: Type.Array(Balance),
    top_ups: Type.Array(TopUp),
    gateways: Type.Array(OfferedGateway),
    /** The saved card that can pay for a top-up in one request. */
    saved_method: Type.Optional(SavedPaymentMethod),
    auto_unlocks: Type.Array(AutoUnlock),
  }),
})

export const listBalanceEntries = endpoint({
  method: 'GET',
  path: '/api/balance/entries',
  summary: 'Lists the changes of the balance, newest first',
  refuses: ['signInRequired', 'balanceDisabled'],
  query: Type.Object({ ...pagingFields }),
  data: pageOf(BalanceEntry),
})

export const refundBalance = endpoint({
  method: 'POST',
  path: '/api/balance/refund',
  summary: 'Refunds the unspent paid balance to the original payment methods',
  refuses: ['signInRequired', 'notRefundable', 'idempotencyKeyReused', 'cardNumberInBody'],
  body: Type.Object({}),
  info: Type.Object({
    /**
     * By currency: the amount that is refunded, and the amount that the gateway refused to refund, which stays in the
     * balance.
     */
    refunds: Type.Array(Type.Object({ currency: Currency, amount_cents: Cents, refused_cents: Cents })),
  }),
  idempotent: true,
})

export const setAutoUnlock = endpoint({
  method: 'POST',
  path: '/api/balance/auto-unlock',
  summary:
    'Turns on auto-unlock of a drama: its next episodes are bought from the balance, up to a daily limit',
  refuses: [
    'signInRequired',
    'balanceDisabled',
    'notFound',
    'deliveryConsentRequired',
    'priceChanged',
    'balanceTooLow',
  ],
  body: Type.Object({
    video_id: Id,
    daily_limit: Type.Integer({ minimum: 1, maximum: maxAutoUnlocksPerDay }),
    /** The price of an episode that was shown to the viewer. */
    amount_cents: Type.Optional(Cents),
    /** The consent text that was shown to the viewer. Each automatic order stores it. */
    terms_text: Type.String({ maxLength: 4000 }),
    /**
     * The consent to immediate delivery, as for a purchase. It must be given here, because automatic orders do not ask
     * again.
     */
    immediate_delivery: Type.Optional(Type.Boolean()),
  }),
  info: AutoUnlock,
  /** The current price; for `balanceTooLow` (the viewer has never topped up) also the missing amount. */
  refusalSchemas: { 409: PriceRefusal },
})

export const stopAutoUnlock = endpoint({
  method: 'DELETE',
  path: '/api/balance/auto-unlock',
  summary: 'Turns off auto-unlock of a drama; repeating the request changes nothing',
  refuses: ['signInRequired'],
  body: Type.Object({ video_id: Id }),
  info: Type.Object({ auto_unlocks: Type.Array(AutoUnlock) }),
})

export const autoUnlock = endpoint({
  method: 'POST',
  path: '/api/balance/unlock',
  summary: 'Unlocks an episode of a drama with auto-unlock, paid from the balance',
  refuses: [
    'signInRequired',
    'balanceDisabled',
    'notFound',
    'alreadyOwned',
    'autoUnlockDisabled',
    'autoUnlockLimitReached',
    'priceChanged',
    'balanceTooLow',
    'idempotencyKeyReused',
    'cardNumberInBody',
  ],
  body: Type.Object({
    episode_id: Id,
    /**
     * The price that was shown to the viewer. If the price differs, the request is refused, even if the price is within
     * `max_price_cents`.
     */
    amount_cents: Type.Optional(Cents),
  }),
  info: Order,
  /** The current price; with `balanceTooLow` also the available and the missing amount. */
  refusalSchemas: { 409: PriceRefusal },
  idempotent: true,
})

export const undoAutoUnlock = endpoint({
  method: 'POST',
  path: '/api/balance/undo',
  summary:
    'Reverses an automatic unlock within two minutes, at most once per drama in 24 hours. Returns the price to the balance and turns off auto-unlock of the drama',
  refuses: ['signInRequired', 'notFound', 'undoTooLate', 'undoUsed'],
  body: Type.Object({ order_id: Id }),
  info: Order,
})
