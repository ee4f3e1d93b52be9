import { inheritableFields, type InheritedValues } from '#contract/studio/videos.ts'
import { selectPreviousVideo, type AdminVideoRecord } from '#server/features/catalog/catalog.ts'
import { selectVideoEdits } from '#server/features/studio/audit-queries.ts'
import type { Db } from '#server/tables.ts'

/** The columns of each inheritable field. A new draft copies them from the previous video. */
const columnsByField: Record<(typeof inheritableFields)[number], readonly Field[]> = {
  price: ['episode_cents', 'video_cents', 'currency'],
  free_episodes: ['free_episodes'],
}
type Field = 'episode_cents' | 'video_cents' | 'currency' | 'free_episodes'

/**
 * Returns the fields of a draft that still have the values of the previous video, because no operator has changed them.
 * Returns null if there are none, or if the video is not a draft.
 */
export async function loadInheritedValues(db: Db, video: AdminVideoRecord): Promise<InheritedValues | null> {
  if (video.state !== 'draft') return null
  const events = await selectVideoEdits(db, video.id)
  const initial = events.find(({ event }) => event === 'studio video add')?.after
  if (!initial) return null
  const edits = events.filter(({ event }) => event === 'studio video edit')
  const isUnchanged = (field: Field) =>
    initial[field] === video[field] && !edits.some(({ after }) => after && field in after)
  const inheritedFields = inheritableFields.filter((field) => columnsByField[field].every(isUnchanged))
  if (inheritedFields.length === 0) return null
  const previousVideo = await selectPreviousVideo(db, video.id)
  return { fields: inheritedFields, from: previousVideo?.titles ?? null }
}
