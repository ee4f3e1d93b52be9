import { Type, type Static } from 'typebox'
import { Cents, Currency, Time } from '#contract/shapes.ts'
import { command } from './command.ts'

/** The longest span that is summed up at once. */
export const mostDays = 92

/** Money of one currency. What went back may be more than came in. */
export const Revenue = Type.Object({
  currency: Currency,
  gross_cents: Cents,
  /** Below zero where refunds came back. */
  refunded_cents: Type.Integer(),
  /** What banks took back for disputes; below zero where disputes were won. */
  charged_back_cents: Type.Integer(),
  /** Gross without what was refunded and taken back. */
  net_cents: Type.Integer(),
})
export type Revenue = Static<typeof Revenue>

/** What happened on a day in UTC. */
export const GrowthDay = Type.Object({
  day: Type.String(),
  revenue: Type.Array(Revenue),
  subscribed: Type.Integer(),
  churned: Type.Integer(),
  /** Renewals that could not be charged on this day; a later try may succeed. */
  failed_renewals: Type.Integer(),
})
export type GrowthDay = Static<typeof GrowthDay>

export const listDays = command({
  method: 'GET',
  path: '/api/studio/growth/days',
  command: 'growth days',
  roles: ['owner', 'analyst'],
  summary: 'Revenue, subscribers, churn and failed renewals by UTC day, up to the day of `until`',
  refuses: [],
  query: Type.Object({
    until: Type.Optional(Time),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: mostDays })),
  }),
  data: Type.Object({
    list: Type.Array(GrowthDay),
    /** Of the whole span. */
    totals: Type.Array(Revenue),
    /** At this moment. */
    subscribers: Type.Integer(),
  }),
})
