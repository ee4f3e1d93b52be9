import { Type, type Static } from 'typebox'
import { OfferedGateway, Order, SavedMethod } from './billing.ts'
import { endpoint } from './endpoint.ts'
import { Cents, Currency, Id, Time, listOf, oneOf, paging } from './shapes.ts'
import { Balance, PriceRefusal, TopUp } from './top-ups.ts'

/** Why a balance changed. */
export const balanceEntryKinds = [
  'top_up',
  'purchase',
  /** A purchase was refunded to the balance. */
  'refund',
  /** A top-up was refunded to its payment method. */
  'top_up_refund',
  'chargeback',
  /** A refund of a top-up failed, or its dispute was won: the money is back. */
  'restored',
  /** Its top-up was refunded: what its bonus had bought is paid with its paid money instead. */
  'bonus_set_off',
  'bonus_expired',
  /** The account was deleted. */
  'forfeited',
] as const

/** One line of a balance's statement. */
export const BalanceEntry = Type.Object({
  id: Id,
  kind: oneOf(balanceEntryKinds),
  currency: Currency,
  /** What it changed: positive for money in. */
  amount_cents: Type.Integer(),
  /** How much of that was bonus money. */
  bonus_cents: Type.Integer(),
  at: Time,
  order_id: Id,
  video_id: Type.Optional(Id),
  episode_id: Type.Optional(Id),
  episode_number: Type.Optional(Type.Integer()),
})
export type BalanceEntry = Static<typeof BalanceEntry>

/** The most episodes of a drama that are unlocked automatically within 24 hours. */
export const mostAutoUnlocks = 50

/** A person's agreement that the next episodes of a drama are unlocked from the balance. */
export const AutoUnlock = Type.Object({
  video_id: Id,
  /** How many episodes within 24 hours at most, and how many of those are left now. */
  daily_limit: Type.Integer(),
  left_today: Type.Integer(),
  /** The most that an episode may cost. */
  agreed_cents: Cents,
  currency: Currency,
})
export type AutoUnlock = Static<typeof AutoUnlock>

export const getBalance = endpoint({
  method: 'GET',
  path: '/api/balance',
  summary: 'Returns what is left of the balance, the top-ups on sale, and the dramas with auto-unlock',
  refuses: ['signInFirst', 'balanceOff'],
  info: Type.Object({
    /** False while the site has balances switched off: what is left can be refunded, and no more. */
    on: Type.Boolean(),
    /** One for each currency that there is money in. */
    balances: Type.Array(Balance),
    top_ups: Type.Array(TopUp),
    gateways: Type.Array(OfferedGateway),
    /** The card that pays for a top-up in one call. */
    saved_method: Type.Optional(SavedMethod),
    auto_unlocks: Type.Array(AutoUnlock),
  }),
})

export const listBalanceEntries = endpoint({
  method: 'GET',
  path: '/api/balance/entries',
  summary: 'Lists the changes of the balance, newest first',
  refuses: ['signInFirst', 'balanceOff'],
  query: Type.Object({ ...paging }),
  data: listOf(BalanceEntry),
})

export const refundBalance = endpoint({
  method: 'POST',
  path: '/api/balance/refund',
  summary: 'Refunds the unspent paid money to the payment methods that it came from',
  refuses: ['signInFirst', 'notRefundable', 'keyReused', 'cardNumberInBody'],
  body: Type.Object({}),
  info: Type.Object({
    /** By currency: what goes back, and what could not be sent, which stays in the balance. */
    refunds: Type.Array(Type.Object({ currency: Currency, amount_cents: Cents, refused_cents: Cents })),
  }),
  idempotent: true,
})

export const setAutoUnlock = endpoint({
  method: 'POST',
  path: '/api/balance/auto-unlock',
  summary: 'Has the next episodes of a drama unlocked from the balance, up to a number within 24 hours',
  refuses: [
    'signInFirst',
    'balanceOff',
    'notFound',
    'deliveryConsentNeeded',
    'priceDiffers',
    'balanceTooLow',
  ],
  body: Type.Object({
    video_id: Id,
    daily_limit: Type.Integer({ minimum: 1, maximum: mostAutoUnlocks }),
    /** The price of an episode that the person was shown. */
    amount_cents: Type.Optional(Cents),
    /** The words that the person agreed to. Each automatic order keeps them as its consent. */
    shown: Type.String({ maxLength: 4000 }),
    /** As `consent.immediate_delivery` of a purchase. It is needed: nobody asks before an automatic order. */
    immediate_delivery: Type.Optional(Type.Boolean()),
  }),
  info: AutoUnlock,
  /** The price, if it differs from the one that was shown, or if the person never had a balance. */
  refusals: { 409: PriceRefusal },
})

export const stopAutoUnlock = endpoint({
  method: 'DELETE',
  path: '/api/balance/auto-unlock',
  summary: 'Turns auto-unlock of a drama off; a second time changes nothing',
  refuses: ['signInFirst'],
  body: Type.Object({ video_id: Id }),
  info: Type.Object({ auto_unlocks: Type.Array(AutoUnlock) }),
})

export const autoUnlock = endpoint({
  method: 'POST',
  path: '/api/balance/unlock',
  summary: 'Unlocks an episode from the balance because auto-unlock is on for its drama',
  refuses: [
    'signInFirst',
    'balanceOff',
    'notFound',
    'alreadyOwned',
    'autoUnlockOff',
    'autoUnlockLimit',
    'priceDiffers',
    'balanceTooLow',
    'keyReused',
    'cardNumberInBody',
  ],
  body: Type.Object({ episode_id: Id }),
  info: Order,
  /** The price and what is missing from it. */
  refusals: { 409: PriceRefusal },
  idempotent: true,
})

export const undoAutoUnlock = endpoint({
  method: 'POST',
  path: '/api/balance/undo',
  summary:
    'Takes back an automatic unlock within two minutes, to the balance, and turns auto-unlock of the drama off; once per drama within 24 hours',
  refuses: ['signInFirst', 'notFound', 'undoTooLate', 'undoUsed'],
  body: Type.Object({ order_id: Id }),
  info: Order,
})
