import type { AdIds } from '#server/platform/http/route.ts'
import { dayName } from '#server/platform/utc-days.ts'
import type { Tx } from '#server/tables.ts'
import { clickKind } from './click-kind.ts'
import { insertSteps, type StepRow } from './step-queries.ts'
import type { SentEvent } from './read-event.ts'

/**
 * The step that an event of the browser tells of: a visit begins (`visit`), a video's page was opened in it (`visit_video`), a locked
 * episode's offer was shown (`paywall`; `first` where it is the visit's first). Each is sent once a visit, or once a visit and video.
 */
export function stepOf(event: SentEvent & { at: Date }): StepRow[] {
  const { name, fields, at } = event
  const from = { token: fields['referrer_token'] ?? '', click: clickKind(event) }
  const nobody = { token: null, click: null }
  const video_id = fields['video_id'] ?? null
  const day = dayName(at)
  if (name === 'visit') return [{ day, step: 'visit', ...from, video_id: null }]
  if (video_id === null) return []
  if (name === 'visit_video') return [{ day, step: 'visit', ...nobody, video_id }]
  if (name !== 'paywall') return []
  return [{ day, step: 'paywall', ...(fields['first'] === '1' ? from : nobody), video_id }]
}

/** A play, with what the viewer's browser carried then. */
export interface CountedPlay {
  videoId: string
  ids: AdIds
  at: Date
}

/** Counts plays for the token and the kind of click that each came with. Nothing says whose they were. */
export async function countPlays(tx: Tx, plays: readonly CountedPlay[]): Promise<void> {
  await insertSteps(tx, plays.map(stepOfPlay))
}

function stepOfPlay({ videoId, ids, at }: CountedPlay): StepRow {
  const { referrerToken } = ids
  const token = referrerToken?.isWellFormed() ? referrerToken : ''
  return { day: dayName(at), step: 'play', token, click: clickKind(ids), video_id: videoId }
}
