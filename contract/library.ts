import { Type, type Static } from 'typebox'
import { VideoCard } from './catalog.ts'
import { endpoint } from './endpoint.ts'
import { Id, Milliseconds, Time, nullable, pageOf, stringEnum, pagingFields } from './schemas.ts'

export const HistoryEntry = Type.Object({
  video: VideoCard,
  episode: Type.Object({ id: Id, number: Type.Integer(), title: Type.String(), duration_ms: Milliseconds }),
  position_ms: Milliseconds,
  at: Time,
  source: Type.Optional(stringEnum(['purchase', 'subscription'])),
  /** The number of the next playable episode of a watched video; null after the last playable episode. */
  next_number: Type.Optional(nullable(Type.Integer())),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const listHistory = endpoint({
  method: 'GET',
  path: '/api/user/history',
  summary: "Lists the viewer's watched or unlocked episodes, newest first",
  refuses: ['signInRequired'],
  query: Type.Object({ kind: Type.Optional(stringEnum(['watched', 'unlocked'])), ...pagingFields }),
  data: pageOf(HistoryEntry),
})

export const SavedPosition = Type.Object({
  video_id: Id,
  episode_id: Id,
  position_ms: Milliseconds,
  at: Time,
})
export type SavedPosition = Static<typeof SavedPosition>

export const saveHistory = endpoint({
  method: 'POST',
  path: '/api/user/history',
  summary:
    "Saves the viewer's position (the latest `at` wins), or removes videos from the list that `kind` names",
  refuses: ['signInRequired', 'notOwner', 'notFound'],
  body: Type.Object({
    video_id: Type.Optional(Id),
    episode_id: Type.Optional(Id),
    position_ms: Type.Optional(Milliseconds),
    at: Type.Optional(Time),
    remove: Type.Optional(Type.Array(Id, { maxItems: 200 })),
    /** The list that `remove` applies to: `watched`, or `unlocked` (access is kept). */
    kind: Type.Optional(stringEnum(['watched', 'unlocked'])),
  }),
  info: Type.Object({ ...Type.Partial(SavedPosition).properties, removed: Type.Optional(Type.Integer()) }),
})

export const FavoriteEntry = Type.Object({ ...VideoCard.properties, favorited_at: Time })
export type FavoriteEntry = Static<typeof FavoriteEntry>

export const listFavorites = endpoint({
  method: 'GET',
  path: '/api/user/favorite',
  summary: "Lists the viewer's favorites, newest first",
  refuses: ['signInRequired'],
  query: Type.Object({ ...pagingFields }),
  data: pageOf(FavoriteEntry),
})

export const addFavorite = endpoint({
  method: 'POST',
  path: '/api/user/favorite',
  summary: 'Adds a video to the favorites; repeating the request changes nothing',
  refuses: ['signInRequired', 'notFound'],
  body: Type.Object({ video_id: Id }),
  info: Type.Object({ video_id: Id, favorite: Type.Boolean(), favorite_count: Type.Integer() }),
})

export const removeFavorites = endpoint({
  method: 'DELETE',
  path: '/api/user/favorite',
  summary: 'Removes one or many videos from the favorites',
  refuses: ['signInRequired'],
  body: Type.Object({ video_ids: Type.Array(Id, { maxItems: 200 }) }),
  info: Type.Object({ removed: Type.Integer() }),
})

export const Entitlement = Type.Object({
  id: Id,
  source: stringEnum(['purchase', 'subscription']),
  video_id: Type.Optional(Id),
  episode_id: Type.Optional(Id),
  starts_at: Time,
  ends_at: Type.Optional(Time),
})
export type Entitlement = Static<typeof Entitlement>
