import { Type, type Static } from 'typebox'
import { Cents, Currency, Id, Time, nullable, stringEnum } from '#contract/schemas.ts'
import { command } from './command.ts'
import { planCurrencies } from './plans.ts'

const readers = ['owner', 'support', 'analyst'] as const

const Price = Type.Integer({ minimum: 1, maximum: 999_999_999 })
const Bonus = Type.Integer({ minimum: 0, maximum: 999_999_999 })
const Days = Type.Integer({ minimum: 1, maximum: 3650 })
const Position = Type.Integer({ minimum: 0, maximum: 1000 })

/** A top-up in the studio. */
export const StudioTopUp = Type.Object({
  id: Id,
  price_cents: Cents,
  bonus_cents: Cents,
  /** The number of days until the bonus expires; null if it does not. */
  bonus_days: nullable(Type.Integer()),
  currency: Currency,
  position: Type.Integer(),
  archived_at: nullable(Time),
})
export type StudioTopUp = Static<typeof StudioTopUp>

export const listTopUps = command({
  method: 'GET',
  path: '/api/studio/top-ups',
  command: 'top-up list',
  roles: readers,
  summary: 'Lists the top-ups on sale in their order, then archived ones',
  refuses: [],
  data: Type.Object({ list: Type.Array(StudioTopUp) }),
})

export const addTopUp = command({
  method: 'POST',
  path: '/api/studio/top-ups/add',
  command: 'top-up add',
  roles: ['owner'],
  summary: 'Creates a top-up of the prepaid balance',
  refuses: ['amountNotSupported'],
  body: Type.Object({
    price_cents: Price,
    bonus_cents: Type.Optional(Bonus),
    bonus_days: Type.Optional(nullable(Days)),
    currency: stringEnum(planCurrencies),
    position: Type.Optional(Position),
  }),
  info: StudioTopUp,
})

export const changeTopUp = command({
  method: 'POST',
  path: '/api/studio/top-ups',
  command: 'top-up change',
  args: ['id'],
  roles: ['owner'],
  summary: 'Edits a top-up for future orders',
  refuses: ['notFound', 'editConflict', 'amountNotSupported'],
  body: Type.Object({
    id: Id,
    price_cents: Type.Optional(Price),
    bonus_cents: Type.Optional(Bonus),
    bonus_days: Type.Optional(nullable(Days)),
    position: Type.Optional(Position),
  }),
  info: StudioTopUp,
})

export const archiveTopUp = command({
  method: 'DELETE',
  path: '/api/studio/top-ups',
  command: 'top-up archive',
  args: ['id'],
  roles: ['owner'],
  summary: 'Archives a top-up: it is no longer sold; money that it added to balances stays',
  refuses: ['notFound', 'editConflict'],
  body: Type.Object({ id: Id }),
  info: StudioTopUp,
})

/** The balance figures of a UTC day in one currency; docs/figures.md defines each figure. */
export const BalanceDay = Type.Object({
  day: Type.String(),
  currency: Currency,
  topped_up_cents: Type.Integer(),
  top_ups_returned_cents: Type.Integer(),
  recognised_cents: Type.Integer(),
  discount_cents: Type.Integer(),
  breakage_cents: Type.Integer(),
  loss_cents: Type.Integer(),
})
export type BalanceDay = Static<typeof BalanceDay>

export const showBalances = command({
  method: 'GET',
  path: '/api/studio/balances',
  command: 'balance show',
  roles: ['owner', 'analyst'],
  summary:
    'Shows the liability of prepaid balances, and for each day the recognised revenue, bonus discounts and breakage',
  refuses: [],
  query: Type.Object({
    /** The number of UTC days up to today; 30 if omitted. */
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 })),
  }),
  info: Type.Object({
    /** By currency: unspent paid money, which is a liability, and bonus money, which is not. */
    liability: Type.Array(Type.Object({ currency: Currency, paid_cents: Cents, bonus_cents: Cents })),
    /** Days with activity, the latest first. */
    days: Type.Array(BalanceDay),
  }),
})
