import { Type, type Static } from 'typebox'
import { badges, VideoPrice } from '#contract/catalog.ts'
import {
  Cents,
  Id,
  LanguageCode,
  Time,
  FormText,
  pageOf,
  nullable,
  stringEnum,
  pagingFields,
} from '#contract/schemas.ts'
import { command } from './command.ts'
import { roles, type Role } from './roles.ts'
import { uploadBatchLimits, uploadBatchBounds } from './upload-batch-limits.ts'
import { videoWarnings } from './video-warnings.ts'

/** draft → scheduled → published ⇄ archived. */
export const videoStates = ['draft', 'scheduled', 'published', 'archived'] as const
export type VideoState = (typeof videoStates)[number]

/** Maximum length of each text, number of tags, price in cents, and number of free episodes. */
export const videoLimits = { title: 200, synopsis: 2000, tags: 20, cents: 100_000_000, freeEpisodes: 10_000 }

/** The roles that may edit content. */
const editors: readonly Role[] = ['owner', 'editor']

/** A text in any of the site's languages. */
export const PartialLocalizedText = Type.Object(
  {
    en: Type.Optional(FormText),
    es: Type.Optional(FormText),
    fy: Type.Optional(FormText),
    dy: Type.Optional(FormText),
    pt: Type.Optional(FormText),
  },
  { 'x-keyed-by-language': true },
)

const Label = Type.Object({ slug: Type.String(), name: Type.String() })

export const StudioVideoRow = Type.Object({
  id: Id,
  title: Type.String(),
  state: stringEnum(videoStates),
  cover_url: nullable(Type.String()),
  cover_color: Type.String(),
  episode_count: Type.Integer(),
  /** The conversion progress of its episodes in percent; null once all are converted. */
  progress: nullable(Type.Integer()),
  /** The number of failed episodes. */
  failed_count: Type.Integer(),
  play_count: Type.Integer(),
  released_at: nullable(Time),
  created_at: Time,
})
export type StudioVideoRow = Static<typeof StudioVideoRow>

export const StudioVideo = Type.Object({
  id: Id,
  slug: Type.String(),
  state: stringEnum(videoStates),
  titles: PartialLocalizedText,
  synopses: PartialLocalizedText,
  category: nullable(Label),
  tags: Type.Array(Label),
  badge: nullable(stringEnum(badges)),
  featured: Type.Boolean(),
  free_episodes: Type.Integer(),
  price: VideoPrice,
  cover_url: nullable(Type.String()),
  cover_color: Type.String(),
  /** Covers for single languages. Viewers of such a language see that cover instead of the general one. */
  language_covers: Type.Array(Type.Object({ language: LanguageCode, url: Type.String() })),
  episode_count: Type.Integer(),
  /**
   * The past or future release time. A scheduled video without this time is released once its first episode can be
   * played.
   */
  released_at: nullable(Time),
  created_at: Time,
  warnings: Type.Array(stringEnum(videoWarnings)),
})
export type StudioVideo = Static<typeof StudioVideo>

export const inheritableFields = ['price', 'free_episodes'] as const

/** The values that a new draft received when it was created, and that nobody has edited since. */
export const InheritedValues = Type.Object({
  fields: Type.Array(stringEnum(inheritableFields)),
  /** The titles of the video that the values were copied from; null if the values are the site's defaults. */
  from: nullable(PartialLocalizedText),
})
export type InheritedValues = Static<typeof InheritedValues>

/** A video with the data of its page in the studio. */
export const StudioVideoPage = Type.Object({
  ...StudioVideo.properties,
  inherited: nullable(InheritedValues),
})
export type StudioVideoPage = Static<typeof StudioVideoPage>

const byId = Type.Object({ id: Id })
const EpisodeTitles = Type.Object({ id: Id, titles: PartialLocalizedText })

export const listStudioVideos = command({
  method: 'GET',
  path: '/api/studio/videos',
  command: 'video list',
  roles,
  summary: 'Lists videos of every status, newest first',
  refuses: [],
  query: Type.Object({
    ...pagingFields,
    state: Type.Optional(stringEnum(videoStates)),
    keyword: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  data: pageOf(StudioVideoRow),
})

export const getStudioVideo = command({
  method: 'GET',
  path: '/api/studio/video',
  command: 'video show',
  args: ['id'],
  roles,
  summary: 'Shows a video of any status, in all languages',
  refuses: ['notFound'],
  query: byId,
  info: StudioVideoPage,
})

export const addVideo = command({
  method: 'POST',
  path: '/api/studio/video/add',
  command: 'video add',
  args: ['title'],
  roles: editors,
  summary: 'Creates a draft with the prices of the latest video',
  refuses: ['titleRequired'],
  body: Type.Object({ title: FormText }),
  info: StudioVideo,
})

export const removeCover = command({
  method: 'POST',
  path: '/api/studio/video/remove-cover',
  command: 'video remove-cover',
  args: ['id', 'language'],
  roles: editors,
  summary: 'Removes the cover for one language, so that its viewers see the cover for all languages',
  refuses: ['notFound'],
  body: Type.Object({ id: Id, language: LanguageCode }),
  info: StudioVideo,
})

export const editVideo = command({
  method: 'POST',
  path: '/api/studio/video/edit',
  command: 'video edit',
  args: ['id'],
  roles: editors,
  summary: 'Edits the given fields of a video; an empty text removes a language',
  refuses: ['notFound', 'titleRequired', 'textTooLong', 'priceInvalid', 'labelInvalid', 'amountNotSupported'],
  body: Type.Object({
    id: Id,
    titles: Type.Optional(PartialLocalizedText),
    synopses: Type.Optional(PartialLocalizedText),
    /** By name or slug; a missing category is created. */
    category: Type.Optional(nullable(FormText)),
    tags: Type.Optional(Type.Array(FormText, { maxItems: videoLimits.tags })),
    badge: Type.Optional(nullable(stringEnum(badges))),
    featured: Type.Optional(Type.Boolean()),
    free_episodes: Type.Optional(Type.Integer({ minimum: 0, maximum: videoLimits.freeEpisodes })),
    episode_cents: Type.Optional(Cents),
    video_cents: Type.Optional(Cents),
    currency: Type.Optional(FormText),
  }),
  info: StudioVideo,
})

export const publishVideo = command({
  method: 'POST',
  path: '/api/studio/video/publish',
  command: 'video publish',
  args: ['id'],
  roles: editors,
  summary: 'Publishes a video now, or once its first episode is processed',
  refuses: ['notFound', 'editConflict', 'noEpisodes'],
  body: byId,
  info: StudioVideo,
})

export const scheduleVideo = command({
  method: 'POST',
  path: '/api/studio/video/schedule',
  command: 'video schedule',
  args: ['id', 'at'],
  roles: editors,
  summary: 'Schedules a draft',
  refuses: ['notFound', 'editConflict', 'timeInPast'],
  body: Type.Object({ id: Id, at: Time }),
  info: StudioVideo,
})

export const unscheduleVideo = command({
  method: 'POST',
  path: '/api/studio/video/unschedule',
  command: 'video unschedule',
  args: ['id'],
  roles: editors,
  summary: 'Unschedules a video: it becomes a draft again',
  refuses: ['notFound', 'editConflict'],
  body: byId,
  info: StudioVideo,
})

export const archiveVideo = command({
  method: 'POST',
  path: '/api/studio/video/archive',
  command: 'video archive',
  args: ['id'],
  roles: editors,
  summary: 'Archives a video: it is removed from all lists, and its buyers can still watch it',
  refuses: ['notFound', 'editConflict'],
  body: byId,
  info: StudioVideo,
})

export const listLabels = command({
  method: 'GET',
  path: '/api/studio/labels',
  command: 'label list',
  roles,
  summary: 'Lists the categories in menu order, and the most used tags',
  refuses: [],
  info: Type.Object({ categories: Type.Array(Label), tags: Type.Array(Label) }),
})

/** `awaiting_file`: its upload is not complete. If a file is replaced, the state is that of the new file. */
export const episodeProcessingStates = ['ready', 'awaiting_file', 'queued', 'processing', 'failed'] as const

export const StudioEpisode = Type.Object({
  id: Id,
  number: Type.Integer(),
  titles: PartialLocalizedText,
  state: stringEnum(episodeProcessingStates),
  /** True if the episode can be played, even if only from a file that is being replaced. */
  playable: Type.Boolean(),
  progress: Type.Integer(),
  /** The reason for a failure, such as "01.mp4 is cut off after 3 s of 10 s". */
  reason: nullable(Type.String()),
  /** Messages about ignored parts of the file, such as "01.mkv has captions that are images, not text …". */
  notes: Type.Array(Type.String()),
  source_name: Type.String(),
  duration_ms: nullable(Type.Integer()),
  captions: Type.Array(LanguageCode),
  thumb_url: nullable(Type.String()),
})
export type StudioEpisode = Static<typeof StudioEpisode>

export const listStudioEpisodes = command({
  method: 'GET',
  path: '/api/studio/episodes',
  command: 'episode list',
  args: ['video_id'],
  roles,
  summary: 'Lists the episodes of a video and their processing progress',
  refuses: ['notFound'],
  query: Type.Object({ video_id: Id }),
  data: Type.Object({ list: Type.Array(StudioEpisode) }),
})

export const getStudioPlayback = command({
  method: 'GET',
  path: '/api/studio/episode/playback',
  command: 'episode playback',
  args: ['id'],
  roles,
  summary: 'Returns the playback URLs of an episode, whatever the status of its video',
  refuses: ['notFound', 'episodeNotReady'],
  query: byId,
  info: Type.Object({
    hls_url: Type.String(),
    poster_url: Type.String(),
    expires_at: Time,
    encrypted: Type.Boolean(),
    captions: Type.Array(Type.Object({ lang: LanguageCode, url: Type.String() })),
  }),
})

export const reorderEpisodes = command({
  method: 'POST',
  path: '/api/studio/episodes/order',
  command: 'episode reorder',
  args: ['video_id'],
  roles: editors,
  summary: 'Reorders the episodes of a video; the existing numbers are reused, including gaps',
  refuses: ['notFound', 'editConflict'],
  body: Type.Object({ video_id: Id, episode_ids: Type.Array(Id, { maxItems: 10_000 }) }),
  data: Type.Object({ list: Type.Array(StudioEpisode) }),
})

export const editEpisode = command({
  method: 'POST',
  path: '/api/studio/episode/edit',
  command: 'episode edit',
  args: ['id'],
  roles: editors,
  summary: 'Edits the titles of an episode; an empty text removes a language',
  refuses: ['notFound', 'textTooLong'],
  body: EpisodeTitles,
  info: StudioEpisode,
})

export const setEpisodeTitles = command({
  method: 'POST',
  path: '/api/studio/episodes/titles',
  command: 'episode set-titles',
  args: ['video_id'],
  roles: editors,
  summary: 'Edits the titles of several episodes of a video; an empty text removes a language',
  refuses: ['notFound', 'editConflict', 'textTooLong'],
  maxBodyBytes: uploadBatchLimits.bytes,
  body: Type.Object({ video_id: Id, episodes: Type.Array(EpisodeTitles, uploadBatchBounds) }),
  data: Type.Object({ list: Type.Array(StudioEpisode) }),
})

export const retryEpisode = command({
  method: 'POST',
  path: '/api/studio/episode/retry',
  command: 'episode retry',
  args: ['id'],
  roles: editors,
  summary: 'Retries a failed episode',
  refuses: ['notFound', 'editConflict'],
  body: byId,
  info: StudioEpisode,
})

export const removeEpisode = command({
  method: 'DELETE',
  path: '/api/studio/episode',
  command: 'episode remove',
  args: ['id'],
  roles: editors,
  summary: 'Removes an episode that was never playable, or the failed replacement file of a playable one',
  refuses: ['notFound', 'editConflict'],
  body: byId,
  info: Type.Object({ removed: Type.Boolean() }),
})
