import { Type, type Static } from 'typebox'
import { Id, LanguageCode, Time, nullable, stringEnum } from '#contract/schemas.ts'
import { command } from './command.ts'
import { type Role } from './roles.ts'
import { uploadBatchLimits, uploadBatchBounds } from './upload-batch-limits.ts'
import { PartialLocalizedText } from './videos.ts'

/** The size of the parts of an upload: 8 MiB; the last may be smaller. */
export const partBytes = 8 * 1024 ** 2
/**
 * Maximum file sizes in bytes: 16 GiB for a video, one part for captions, 20 MiB for a cover, and 48 KiB for a
 * `video.yaml`. A `video.yaml` must fit into the body of one request.
 */
export const uploadLimits = {
  video: 16 * 1024 ** 3,
  captions: partBytes,
  cover: 20 * 1024 ** 2,
  description: 48 * 1024,
}
/** Accepted file extensions. */
export const videoExtensions = ['mp4', 'm4v', 'mov', '3gp', 'mkv', 'webm', 'ts', 'mts', 'm2ts'] as const
export const captionExtensions = ['vtt', 'srt', 'ass', 'ssa'] as const
/** Other accepted files of a folder: the description, and the cover, whose name may be in upper or lower case. */
export const descriptionFileName = 'video.yaml'
export const coverFileNames = [
  'cover.jpg',
  'cover.jpeg',
  'cover.png',
  'cover.webp',
  'cover.avif',
  'cover.heic',
  'cover.heif',
] as const

/** The roles that may run the commands below and call the endpoints that receive the files' bytes. */
export const uploaderRoles: readonly Role[] = ['owner', 'editor']
export const partPath = '/api/studio/uploads/:id/parts/:part'
export const coverPath = '/api/studio/video/:id/cover'
export const languageCoverPath = '/api/studio/video/:id/cover/:language'

/** A command that uploads a file. */
export interface FileCommand {
  path: string
  /** The name on the command line. The arguments are the parameters of the path, and the file. */
  command: string
  summary: string
}
export const coverCommand = {
  path: coverPath,
  command: 'video set-cover',
  summary: "Sets a video's cover, cropped to 3:4",
} as const satisfies FileCommand

export const languageCoverCommand = {
  path: languageCoverPath,
  command: 'video set-language-cover',
  summary: 'Sets the cover for viewers of one language, cropped to 3:4',
} as const satisfies FileCommand

/**
 * The states of an upload.
 * - `complete`: all parts have arrived, and the file waits for the worker
 * - `queued`: the worker has passed the file to the ingest
 * - `rejected`: the file cannot be used
 */
export const uploadStates = ['uploading', 'complete', 'queued', 'rejected'] as const

export const Upload = Type.Object({
  id: Id,
  name: Type.String(),
  bytes: Type.Integer(),
  number: Type.Integer(),
  /** The language, for captions. */
  language: nullable(LanguageCode),
  state: stringEnum(uploadStates),
  /** The reason for the rejection as a text for operators; null if the file was not rejected. */
  reason: nullable(Type.String()),
  /** The uploaded parts, numbered from 0. */
  parts: Type.Array(Type.Integer()),
})
export type Upload = Static<typeof Upload>

/** A file to upload. Its name, size and modification time identify it when an upload is resumed. */
export const AnnouncedFile = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  bytes: Type.Integer({ minimum: 0 }),
  last_modified_at: Time,
  number: Type.Integer({ minimum: 1, maximum: 9999 }),
  /** The language, for captions. */
  language: Type.Optional(LanguageCode),
  /** The titles of the episode. If omitted, existing titles are kept. */
  titles: Type.Optional(PartialLocalizedText),
})
export type AnnouncedFile = Static<typeof AnnouncedFile>

/** The upload of an announced file. A file that is not accepted is `rejected` and has no id. */
export const StartedUpload = Type.Object({ ...Upload.properties, id: nullable(Id) })
export type StartedUpload = Static<typeof StartedUpload>

export const startUploads = command({
  method: 'POST',
  path: '/api/studio/uploads',
  command: 'upload start',
  args: ['video_id', 'files'],
  roles: uploaderRoles,
  summary:
    'Announces files to upload; returns for each file the parts that have already arrived, or the reason for its rejection',
  refuses: ['notFound', 'textTooLong'],
  maxBodyBytes: uploadBatchLimits.bytes,
  body: Type.Object({
    video_id: Id,
    files: Type.Array(AnnouncedFile, uploadBatchBounds),
  }),
  data: Type.Object({ list: Type.Array(StartedUpload) }),
})

export const listUploads = command({
  method: 'GET',
  path: '/api/studio/uploads',
  command: 'upload list',
  args: ['video_id'],
  roles: uploaderRoles,
  summary: "Lists a video's uploads that are incomplete or were rejected",
  refuses: [],
  query: Type.Object({ video_id: Id }),
  data: Type.Object({ list: Type.Array(Upload) }),
})

/** A completed upload, with the fields by which a browser recognizes the file. */
export const CompletedUpload = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  last_modified_at: Time,
  number: Type.Integer(),
  /** The language, for captions. */
  language: nullable(LanguageCode),
})
export type CompletedUpload = Static<typeof CompletedUpload>

export const listCompletedUploads = command({
  method: 'GET',
  path: '/api/studio/uploads/completed',
  command: 'upload list-completed',
  args: ['video_id'],
  roles: uploaderRoles,
  summary:
    "Lists a video's uploads that were completed within the last week, so that no file is uploaded twice",
  refuses: [],
  query: Type.Object({ video_id: Id }),
  data: Type.Object({ list: Type.Array(CompletedUpload) }),
})

export const removeUploads = command({
  method: 'DELETE',
  path: '/api/studio/uploads',
  command: 'upload remove',
  args: ['video_id', 'ids'],
  roles: uploaderRoles,
  summary: 'Discards uploads of a video that are incomplete or were rejected',
  refuses: ['notFound'],
  body: Type.Object({ video_id: Id, ids: Type.Array(Id, uploadBatchBounds) }),
  info: Type.Object({
    removed: Type.Integer(),
    /** Names of the files that were not removed, because a worker is already processing them. */
    not_removed: Type.Array(Type.String()),
  }),
})
