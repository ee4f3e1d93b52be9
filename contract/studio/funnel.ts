import { Type, type Static } from 'typebox'
import { Id, Time, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'
import { maxReportDays, revenueViews } from './analytics.ts'

/** The groupings of the funnel: campaign, ad click or video. */
export const funnelKinds = ['token', 'click', 'video'] as const
export type FunnelKind = (typeof funnelKinds)[number]

const funnelFigures = {
  /** For `token` and `click`: visits to the site. For `video`: visits in which the video was opened. */
  visits: Type.Integer(),
  /** Plays. Repeated plays of an episode by one viewer within half an hour count once. */
  plays: Type.Integer(),
  /** Visits in which the paywall of a locked episode was shown. */
  paywalls: Type.Integer(),
  /** Paid orders, without renewals. */
  paid: Type.Integer(),
  ...revenueViews,
}

export const FunnelRow = Type.Object({
  /**
   * By `token`: the referrer token. By `click`: `meta`, `tiktok` or `both`. By `video`: the video's id. Null for visits
   * without a token or click.
   */
  key: nullable(Type.String()),
  /** The link's name or the video's title. */
  name: nullable(Type.String()),
  ...funnelFigures,
})
export type FunnelRow = Static<typeof FunnelRow>

export const FunnelTotals = Type.Object(funnelFigures)
export type FunnelTotals = Static<typeof FunnelTotals>

export const listFunnel = command({
  method: 'GET',
  path: '/api/studio/analytics/funnel',
  command: 'analytics funnel',
  roles: ['owner', 'analyst'],
  summary:
    'Shows visits, plays, paywall views, paid orders and revenue by campaign, ad click or video (`by`), most visits first, over UTC days up to `until`',
  refuses: [],
  query: Type.Object({
    by: stringEnum(funnelKinds),
    until: Type.Optional(Time),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxReportDays })),
    ...pagingFields,
  }),
  data: pageOf(FunnelRow, {
    /** Totals of the whole period, independent of paging. */
    totals: FunnelTotals,
    first_day: Type.String(),
    last_day: Type.String(),
  }),
})

/** The numbers of viewers who started and who completed an episode. Each viewer counts once. */
export const DropOff = Type.Object({
  episode_id: Id,
  number: Type.Integer(),
  /** Viewers with a saved position in the episode. */
  started: Type.Integer(),
  /** The part of these viewers who reached 90% of the episode. */
  finished: Type.Integer(),
})
export type DropOff = Static<typeof DropOff>

export const listDropOff = command({
  method: 'GET',
  path: '/api/studio/analytics/dropoff',
  command: 'analytics dropoff',
  args: ['video_id'],
  roles: ['owner', 'analyst'],
  summary: 'Shows how many viewers started and completed each episode of a video',
  refuses: ['notFound'],
  query: Type.Object({ video_id: Id, ...pagingFields }),
  data: pageOf(DropOff, {
    title: Type.String(),
    /** The time of the first counted viewer; null if there is none. */
    since: nullable(Time),
  }),
})
