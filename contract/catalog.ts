import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Cents, Currency, Id, Time, pageOf, nullable, stringEnum, pagingFields } from './schemas.ts'

/** Default and maximum page size of lists. A larger limit is capped, not refused. */
export const listLimits = { default: 20, max: 50 }
export const sectionKinds = ['carousel', 'row', 'ranking', 'grid'] as const
export const badges = ['new', 'hot'] as const
export const sorts = ['relevance', 'popular', 'newest'] as const

export const TagName = Type.Object({ id: Id, name: Type.String() })

/**
 * A video as shown in lists. `progress` (in percent) is set while the first episodes are converted. `synopsis` is set
 * in a carousel.
 */
export const VideoCard = Type.Object({
  id: Id,
  title: Type.String(),
  cover_url: nullable(Type.String()),
  cover_color: Type.String(),
  episode_count: Type.Integer(),
  free_episodes: Type.Integer(),
  play_count: Type.Integer(),
  tags: Type.Array(TagName),
  badge: nullable(stringEnum(badges)),
  synopsis: Type.Optional(Type.String()),
  progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
})
export type VideoCard = Static<typeof VideoCard>

export const Section = Type.Object({
  id: Id,
  kind: stringEnum(sectionKinds),
  title: Type.String(),
  items: Type.Array(VideoCard),
  has_more: Type.Boolean(),
})
export type Section = Static<typeof Section>

export const getHomepage = endpoint({
  method: 'GET',
  path: '/api/homepage',
  summary: 'Returns the homepage: sections, menu, copyright and pay theme',
  refuses: [],
  info: Type.Object({
    copyright: Type.Object({ text: Type.String(), icon: Type.String() }),
    menu: Type.Array(TagName),
    homepage: Type.Array(Section),
    // Layout of the paywall: `sheet` at the bottom, `card` in the middle; unknown values are treated as `sheet`.
    pay_theme: Type.Object({ id: Type.String(), layout: Type.String(), accent: Type.String() }),
    /** The id of the section of recommended dramas, where the For-you feed starts; null if there is none. */
    feed: nullable(Id),
  }),
})

export const queryHomepage = endpoint({
  method: 'GET',
  path: '/api/homepage/query',
  summary: 'Lists videos by section, menu entry, tag or keyword',
  refuses: ['notFound'],
  query: Type.Object({
    section: Type.Optional(Id),
    menu: Type.Optional(Id),
    tag: Type.Optional(Id),
    keyword: Type.Optional(Type.String({ maxLength: 200 })),
    sort: Type.Optional(stringEnum(sorts)),
    ...pagingFields,
  }),
  data: pageOf(VideoCard, {
    title: Type.String(),
    /** The available sort orders, the default first; empty if there is only one order. */
    sorts: Type.Array(stringEnum(sorts)),
  }),
})

export const VideoPrice = Type.Object({ episode_cents: Cents, video_cents: Cents, currency: Currency })

export const getVideo = endpoint({
  method: 'GET',
  path: '/api/video',
  summary: "Returns a video: card, synopsis, prices, the viewer's position, and related videos",
  refuses: ['notFound'],
  query: Type.Object({ id: Id }),
  info: Type.Object({
    ...VideoCard.properties,
    synopsis: Type.String(),
    category: nullable(TagName),
    favorite: Type.Boolean(),
    favorite_count: Type.Integer(),
    share_count: Type.Integer(),
    released_at: nullable(Time),
    price: VideoPrice,
    resume: nullable(Type.Object({ episode_id: Id, number: Type.Integer(), position_ms: Type.Integer() })),
    related: Type.Array(VideoCard),
  }),
})
export type Video = Static<(typeof getVideo)['info']>

export const Tag = Type.Object({
  id: Id,
  name: Type.String(),
  video_count: Type.Integer(),
  trending: Type.Boolean(),
})
export type Tag = Static<typeof Tag>

export const listTags = endpoint({
  method: 'GET',
  path: '/api/tag',
  summary: 'Lists tags, trending ones first; with a keyword, suggests tags and titles',
  refuses: [],
  query: Type.Object({ keyword: Type.Optional(Type.String({ maxLength: 200 })), ...pagingFields }),
  data: pageOf(Tag, {
    /** With a keyword: the videos whose titles match. */
    titles: Type.Optional(
      Type.Array(Type.Object({ id: Id, title: Type.String(), cover_url: nullable(Type.String()) })),
    ),
  }),
})
