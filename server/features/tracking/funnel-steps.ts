import type { AdClickIds } from '#server/platform/http/route.ts'
import { formatUtcDay } from '#server/platform/utc-days.ts'
import type { Tx } from '#server/tables.ts'
import { clickKind } from './click-kind.ts'
import { insertSteps, type StepRow } from './funnel-step-queries.ts'
import type { AnalyticsEvent } from './parse-beacon.ts'

/**
 * Returns the funnel step of a browser event, or an empty array if the event is not a step. `visit`: a visit begins.
 * `visit_video`: a video's page is opened. `paywall`: the offer for a locked episode is shown; `first` marks the first
 * paywall of the visit. The browser sends `visit` once per visit, and the others once per visit and video.
 */
export function toFunnelSteps(event: AnalyticsEvent & { at: Date }): StepRow[] {
  const { name, fields, at } = event
  const source = { token: fields['referrer_token'] ?? '', click: clickKind(event) }
  const noSource = { token: null, click: null }
  const video_id = fields['video_id'] ?? null
  const day = formatUtcDay(at)
  if (name === 'visit') return [{ day, step: 'visit', ...source, video_id: null }]
  if (video_id === null) return []
  if (name === 'visit_video') return [{ day, step: 'visit', ...noSource, video_id }]
  if (name !== 'paywall') return []
  return [{ day, step: 'paywall', ...(fields['first'] === '1' ? source : noSource), video_id }]
}

/** A play, with the referrer token and click ids of the viewer's browser. */
export interface CountedPlay {
  videoId: string
  ids: AdClickIds
  at: Date
}

/** Adds plays as funnel steps with their referrer token and kind of ad click, without the viewer. */
export async function countPlays(tx: Tx, plays: readonly CountedPlay[]): Promise<void> {
  await insertSteps(tx, plays.map(toPlayStep))
}

function toPlayStep({ videoId, ids, at }: CountedPlay): StepRow {
  const { referrerToken } = ids
  const token = referrerToken?.isWellFormed() ? referrerToken : ''
  return { day: formatUtcDay(at), step: 'play', token, click: clickKind(ids), video_id: videoId }
}
