import { Type, type Static } from 'typebox'
import { Id, LanguageCode, Time, nullable, oneOf } from '#contract/shapes.ts'
import { command, type Role } from './command.ts'
import { planLimits, someOfPlan } from './plan-limits.ts'
import { TextsInSome } from './videos.ts'

/** Files arrive in parts of 8 MiB; the last may be smaller. */
export const partBytes = 8 * 1024 ** 2
/** What is taken: 16 GiB of video, captions in one part, a picture for the cover, a `video.yaml` within the body of one call. */
export const uploadLimits = {
  video: 16 * 1024 ** 3,
  captions: partBytes,
  cover: 20 * 1024 ** 2,
  description: 48 * 1024,
}
/** Endings of the names of files that are taken. */
export const videoEndings = ['mp4', 'm4v', 'mov', '3gp', 'mkv', 'webm', 'ts', 'mts', 'm2ts'] as const
export const captionEndings = ['vtt', 'srt', 'ass', 'ssa'] as const
/** What may lie beside them in a folder: what the video is, and its cover, in small or capital letters. */
export const descriptionName = 'video.yaml'
export const coverNames = [
  'cover.jpg',
  'cover.jpeg',
  'cover.png',
  'cover.webp',
  'cover.avif',
  'cover.heic',
  'cover.heif',
] as const

/** Who may bring files in, by these commands and by the two addresses that take bytes. */
export const bringers: readonly Role[] = ['owner', 'editor']
export const partPath = '/api/studio/uploads/:id/parts/:part'
export const coverPath = '/api/studio/video/:id/cover'
export const languageCoverPath = '/api/studio/video/:id/cover/:language'

/** A command that takes the bytes of a file. */
export interface FileCommand {
  path: string
  /** Its words on the command line, which the names in its path and the file follow. */
  command: string
  summary: string
}
export const coverCommand = {
  path: coverPath,
  command: 'video cover',
  summary: "Sets a video's cover, cropped to 3:4",
} as const satisfies FileCommand

export const languageCoverCommand = {
  path: languageCoverPath,
  command: 'video cover-in',
  summary: 'Sets the cover that viewers of one language see, cropped to 3:4',
} as const satisfies FileCommand

/** `taken` is in the queue of the ingest by then; `refused` was no usable file. */
export const uploadStates = ['arriving', 'complete', 'taken', 'refused'] as const

export const Upload = Type.Object({
  id: Id,
  name: Type.String(),
  bytes: Type.Integer(),
  number: Type.Integer(),
  /** Of captions. */
  language: nullable(LanguageCode),
  state: oneOf(uploadStates),
  /** Why it was refused, in words. */
  reason: nullable(Type.String()),
  /** The parts that are there, from 0. */
  parts: Type.Array(Type.Integer()),
})
export type Upload = Static<typeof Upload>

/** A file of a plan, as the browser knows it: by name, size and last change it is known again. */
export const PlannedFile = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  bytes: Type.Integer({ minimum: 0 }),
  changed_at: Time,
  number: Type.Integer({ minimum: 1, maximum: 9999 }),
  /** Of captions. */
  language: Type.Optional(LanguageCode),
  /** The titles of a new episode; if omitted, the earlier ones stay. */
  titles: Type.Optional(TextsInSome),
})
export type PlannedFile = Static<typeof PlannedFile>

/** What became of a file of a plan. One that is not taken at all is `refused` and has no id. */
export const StartedUpload = Type.Object({ ...Upload.properties, id: nullable(Id) })
export type StartedUpload = Static<typeof StartedUpload>

export const beginUploads = command({
  method: 'POST',
  path: '/api/studio/uploads',
  command: 'upload begin',
  args: ['video_id', 'files'],
  roles: bringers,
  summary: 'Announces files to upload; returns for each which parts have arrived, or why it is refused',
  refuses: ['notFound', 'textTooLong'],
  most: planLimits.bytes,
  body: Type.Object({
    video_id: Id,
    files: Type.Array(PlannedFile, someOfPlan),
  }),
  data: Type.Object({ list: Type.Array(StartedUpload) }),
})

export const listUploads = command({
  method: 'GET',
  path: '/api/studio/uploads',
  command: 'upload list',
  args: ['video_id'],
  roles: bringers,
  summary: "Lists a video's uploads that are incomplete or were refused",
  refuses: [],
  query: Type.Object({ video_id: Id }),
  data: Type.Object({ list: Type.Array(Upload) }),
})

/** A completely uploaded file, as a browser recognizes it. */
export const ArrivedFile = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  changed_at: Time,
  number: Type.Integer(),
  /** Of captions. */
  language: nullable(LanguageCode),
})
export type ArrivedFile = Static<typeof ArrivedFile>

export const listArrivedUploads = command({
  method: 'GET',
  path: '/api/studio/uploads/arrived',
  command: 'upload arrived',
  args: ['video_id'],
  roles: bringers,
  summary:
    'Lists files of a video that were uploaded completely within the last week, so that none is sent twice',
  refuses: [],
  query: Type.Object({ video_id: Id }),
  data: Type.Object({ list: Type.Array(ArrivedFile) }),
})

export const removeUploads = command({
  method: 'DELETE',
  path: '/api/studio/uploads',
  command: 'upload remove',
  args: ['video_id', 'ids'],
  roles: bringers,
  summary: 'Discards uploads of a video that are incomplete or were refused',
  refuses: ['notFound'],
  body: Type.Object({ video_id: Id, ids: Type.Array(Id, someOfPlan) }),
  info: Type.Object({
    removed: Type.Integer(),
    /** Names of those that the worker has by now. */
    kept: Type.Array(Type.String()),
  }),
})
