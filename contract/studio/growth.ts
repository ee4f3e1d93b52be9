import { Type, type Static } from 'typebox'
import { Cents, Currency, Time } from '#contract/shapes.ts'
import { command } from './command.ts'

/** The longest span that is summed up at once. */
export const mostDays = 92

/** Money of one currency; docs/figures.md defines each figure. What went back may be more than came in. */
export const Revenue = Type.Object({
  currency: Currency,
  gross_cents: Cents,
  refunded_cents: Cents,
  /** What banks took for the disputes that were opened in the time. */
  disputed_cents: Cents,
  /** The won and lost parts of these disputes. The rest is still open. */
  disputes_won_cents: Cents,
  disputes_lost_cents: Cents,
  /** Gross less refunds and the disputes that are not won. */
  net_cents: Type.Integer(),
})
export type Revenue = Static<typeof Revenue>

/** Money by what brought it, in two views, one sum for each currency. */
export const revenueViews = {
  /** Of the sale: first payments and single purchases, without renewals. */
  sale_revenue: Type.Array(Revenue),
  /** Lifetime: with renewals, which belong to the campaign and the drama of their subscription's first payment. */
  revenue: Type.Array(Revenue),
}
const RevenueViews = Type.Object(revenueViews)
export type RevenueViews = Static<typeof RevenueViews>

/** What happened on a day in UTC. */
export const GrowthDay = Type.Object({
  day: Type.String(),
  revenue: Type.Array(Revenue),
  subscribed: Type.Integer(),
  churned: Type.Integer(),
  /** Renewals whose first failed try was on this day; each counts once, though a later try may succeed. */
  failed_renewals: Type.Integer(),
})
export type GrowthDay = Static<typeof GrowthDay>

export const listDays = command({
  method: 'GET',
  path: '/api/studio/growth/days',
  command: 'growth days',
  roles: ['owner', 'analyst'],
  summary: 'Shows revenue, subscribers, churn and failed renewals by UTC day, up to the day of `until`',
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
