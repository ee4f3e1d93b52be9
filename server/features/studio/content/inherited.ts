import { inheritable, type Inherited } from '#contract/studio/videos.ts'
import { selectVideoBefore, type AdminVideoRecord } from '#server/features/catalog/catalog.ts'
import { selectDescribing } from '#server/features/studio/audit-queries.ts'
import type { Db } from '#server/tables.ts'

/** The fields of each part that a draft inherits. */
const fieldsOf: Record<(typeof inheritable)[number], readonly Field[]> = {
  price: ['episode_cents', 'video_cents', 'currency'],
  free_episodes: ['free_episodes'],
}
type Field = 'episode_cents' | 'video_cents' | 'currency' | 'free_episodes'

/** Returns the values that a draft still has from the previous video, because no operator has changed them; null if there are none. */
export async function loadInherited(db: Db, video: AdminVideoRecord): Promise<Inherited | null> {
  if (video.state !== 'draft') return null
  const events = await selectDescribing(db, video.id)
  const begun = events.find(({ event }) => event === 'studio video add')?.after
  if (!begun) return null
  const edits = events.filter(({ event }) => event === 'studio video edit')
  const isKept = (field: Field) =>
    begun[field] === video[field] && !edits.some(({ after }) => after && field in after)
  const kept = inheritable.filter((part) => fieldsOf[part].every(isKept))
  if (kept.length === 0) return null
  const before = await selectVideoBefore(db, video.id)
  return { parts: kept, from: before?.titles ?? null }
}
