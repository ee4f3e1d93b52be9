import { Type, type Static } from 'typebox'
import { Offer } from './billing.ts'
import { endpoint } from './endpoint.ts'
import {
  Cents,
  Id,
  LanguageCode,
  Milliseconds,
  Time,
  pageOf,
  nullable,
  stringEnum,
  pagingFields,
} from './schemas.ts'

/** Default and maximum page size of episode lists, which are longer than other lists. */
export const episodeListLimits = { default: 100, max: 200 }
export const episodeAccessStates = ['free', 'unlocked', 'locked'] as const

export const Episode = Type.Object({
  id: Id,
  number: Type.Integer(),
  title: Type.String(),
  duration_ms: nullable(Milliseconds),
  ready: Type.Boolean(),
  thumb_url: nullable(Type.String()),
  state: stringEnum(episodeAccessStates),
  price_cents: Cents,
})
export type Episode = Static<typeof Episode>

export const Playback = Type.Object({
  hls_url: Type.String(),
  expires_at: Time,
  poster_url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  captions: Type.Array(Type.Object({ lang: LanguageCode, label: Type.String(), url: Type.String() })),
  storyboard_url: Type.String(),
  /** True if the segments are encrypted (HLS, AES-128), which not every native player supports. */
  encrypted: Type.Boolean(),
})
export type Playback = Static<typeof Playback>

export const PlayableEpisode = Type.Object({
  episode: Episode,
  playback: Playback,
  next: nullable(Type.Object({ id: Id, number: Type.Integer(), state: stringEnum(episodeAccessStates) })),
})
export type PlayableEpisode = Static<typeof PlayableEpisode>

export const getEpisode = endpoint({
  method: 'GET',
  path: '/api/video/episode',
  summary: 'Lists the episodes of video_id, or returns the playback information of episode_id',
  refuses: ['locked', 'episodeNotReady', 'notFound'],
  query: Type.Object({ video_id: Type.Optional(Id), episode_id: Type.Optional(Id), ...pagingFields }),
  info: PlayableEpisode,
  data: pageOf(Episode),
  refusalSchemas: { 402: Offer, 409: Type.Object({ progress: Type.Integer({ minimum: 0, maximum: 100 }) }) },
})
