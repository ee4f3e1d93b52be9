import { Type, type Static } from 'typebox'
import { badges } from '#contract/catalog.ts'
import { Cents, Currency, FormText, nullable, stringEnum } from '#contract/schemas.ts'
import { command } from './command.ts'
import { uploaderRoles } from './uploads.ts'
import { PartialLocalizedText } from './videos.ts'

/**
 * The values of a `video.yaml`: the fields of `video edit` (a missing field is null, false or empty) and the titles of
 * the episodes.
 */
export const VideoDescription = Type.Object({
  titles: PartialLocalizedText,
  synopses: PartialLocalizedText,
  category: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  badge: nullable(stringEnum(badges)),
  featured: Type.Boolean(),
  free_episodes: Type.Integer(),
  episode_cents: Cents,
  video_cents: Cents,
  currency: Currency,
  /** Titles of the episodes in order, up to the last episode with a title. */
  episode_titles: Type.Array(PartialLocalizedText),
})
export type VideoDescription = Static<typeof VideoDescription>

export const parseVideoDescription = command({
  method: 'POST',
  path: '/api/studio/video/description',
  command: 'video parse-description',
  args: ['text'],
  roles: uploaderRoles,
  summary: 'Reads the text of a video.yaml and reports mistakes; changes nothing',
  refuses: [],
  body: Type.Object({ text: FormText }),
  info: Type.Object({
    description: nullable(VideoDescription),
    /** The mistakes as text, such as "price.video_cents must be a whole number from 1 to 100000000; it is 9.99". */
    error: nullable(Type.String()),
  }),
})
