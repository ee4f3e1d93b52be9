import { Type, type Static } from 'typebox'
import { badges } from '#contract/catalog.ts'
import { Cents, Currency, Typed, nullable, oneOf } from '#contract/shapes.ts'
import { command } from './command.ts'
import { bringers } from './uploads.ts'
import { TextsInSome } from './videos.ts'

/**
 * The values of a `video.yaml`, in the fields of `video edit` (null, false or empty if missing), and its episodes' titles.
 */
export const VideoDescription = Type.Object({
  titles: TextsInSome,
  synopses: TextsInSome,
  category: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  badge: nullable(oneOf(badges)),
  featured: Type.Boolean(),
  free_episodes: Type.Integer(),
  episode_cents: Cents,
  video_cents: Cents,
  currency: Currency,
  /** Titles of the episodes in order, up to the last one with a title. */
  episode_titles: Type.Array(TextsInSome),
})
export type VideoDescription = Static<typeof VideoDescription>

export const readDescription = command({
  method: 'POST',
  path: '/api/studio/video/description',
  command: 'video read',
  args: ['text'],
  roles: bringers,
  summary: 'Reads the text of a video.yaml and reports mistakes; changes nothing',
  refuses: [],
  body: Type.Object({ text: Typed }),
  info: Type.Object({
    description: nullable(VideoDescription),
    /** Mistakes, such as "price.video_cents must be a whole number from 1 to 100000000; it is 9.99". */
    mistake: nullable(Type.String()),
  }),
})
