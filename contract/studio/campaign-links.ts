import { Type, type Static } from 'typebox'
import { Id, Time, pageOf, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'
import { maxReportDays, revenueViews } from './analytics.ts'

/** A campaign link. If a visitor follows it, its token is stored as the visitor's referrer. */
export const CampaignLink = Type.Object({
  id: Id,
  name: Type.String(),
  token: Type.String(),
  url: Type.String(),
  video_id: Id,
  title: Type.String(),
  episode: Type.Integer(),
  created_at: Time,
  /** Figures of the requested period, the same as in `analytics funnel` by token. */
  visits: Type.Integer(),
  plays: Type.Integer(),
  paywalls: Type.Integer(),
  paid: Type.Integer(),
  ...revenueViews,
})
export type CampaignLink = Static<typeof CampaignLink>

export const createLink = command({
  method: 'POST',
  path: '/api/studio/links',
  command: 'link create',
  args: ['video_id', 'name'],
  roles: ['owner', 'editor'],
  summary: 'Creates a campaign link to an episode (the first if none is given) with its own referrer token',
  refuses: ['notFound'],
  body: Type.Object({
    video_id: Id,
    name: Type.String({ minLength: 1, maxLength: 100 }),
    episode: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  }),
  info: CampaignLink,
})

export const listLinks = command({
  method: 'GET',
  path: '/api/studio/links',
  command: 'link list',
  roles: ['owner', 'editor', 'analyst'],
  summary: 'Lists campaign links, newest first, with their figures over UTC days up to `until`',
  refuses: [],
  query: Type.Object({
    until: Type.Optional(Time),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxReportDays })),
    ...pagingFields,
  }),
  data: pageOf(CampaignLink, { first_day: Type.String(), last_day: Type.String() }),
})
