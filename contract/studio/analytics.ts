import { Type, type Static } from 'typebox'
import { Cents, Currency, Time } from '#contract/schemas.ts'
import { command } from './command.ts'

/** Maximum number of days in one report. */
export const maxReportDays = 92

/** Revenue in one currency; docs/figures.md defines each figure. Refunds and disputes can exceed the gross amount. */
export const Revenue = Type.Object({
  currency: Currency,
  gross_cents: Cents,
  refunded_cents: Cents,
  /** The amount withdrawn for disputes that were opened in the period. */
  disputed_cents: Cents,
  /** The won and lost parts of these disputes; the rest is still open. */
  disputes_won_cents: Cents,
  disputes_lost_cents: Cents,
  /** The gross amount minus refunds, and minus open and lost disputes. */
  net_cents: Type.Integer(),
})
export type Revenue = Static<typeof Revenue>

/** Attributed revenue in two views, with one sum per currency. */
export const revenueViews = {
  /** First payments and one-off purchases, without renewals. */
  sale_revenue: Type.Array(Revenue),
  /**
   * Lifetime revenue: also includes renewals, which are attributed to the campaign and the drama of their
   * subscription's first payment.
   */
  revenue: Type.Array(Revenue),
}
const RevenueViews = Type.Object(revenueViews)
export type RevenueViews = Static<typeof RevenueViews>

/** The figures of a UTC day. */
export const ReportDay = Type.Object({
  day: Type.String(),
  revenue: Type.Array(Revenue),
  subscribed: Type.Integer(),
  churned: Type.Integer(),
  /** Renewals whose first failed attempt was on this day; each counts once, even if a later attempt succeeds. */
  failed_renewals: Type.Integer(),
})
export type ReportDay = Static<typeof ReportDay>

export const listReportDays = command({
  method: 'GET',
  path: '/api/studio/analytics/days',
  command: 'analytics days',
  roles: ['owner', 'analyst'],
  summary: 'Shows revenue, subscribers, churn and failed renewals by UTC day, up to the day of `until`',
  refuses: [],
  query: Type.Object({
    until: Type.Optional(Time),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxReportDays })),
  }),
  data: Type.Object({
    list: Type.Array(ReportDay),
    /** Totals of the whole period. */
    totals: Type.Array(Revenue),
    /** The current number of subscribers. */
    subscribers: Type.Integer(),
  }),
})
