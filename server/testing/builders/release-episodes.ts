import type { Context } from '#server/context.ts'
import type { BuiltVideo } from './video-builders.ts'

/** Makes episodes of a published video playable, as when their first files are ready. */
export async function releaseEpisodes(
  { db }: Pick<Context, 'db'>,
  video: Pick<BuiltVideo, 'id'>,
  ...numbers: number[]
): Promise<void> {
  for (const number of numbers)
    await db
      .updateTable('episodes')
      .set((eb) => ({ asset_id: eb.ref('next_asset_id'), next_asset_id: null }))
      .where('video_id', '=', video.id)
      .where('number', '=', number)
      .execute()
}
