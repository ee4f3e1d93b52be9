import { trackingKeys } from '#contract/tracking.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import type { Db } from '#server/tables.ts'
import { selectTrackingSettings } from './settings-queries.ts'

type TrackingSettings = Partial<Record<(typeof trackingKeys)[number], string>>

/** The format of a pixel id. It must be strict, because the id becomes part of URLs and scripts. */
const pixelIdPattern = /^[\w-]{1,64}$/

export const isPixelId = (text: string) => pixelIdPattern.test(text)

/**
 * Loads the tracking settings: those that the operator has set in the studio, otherwise those of the environment.
 * Invalid ids are ignored.
 */
export async function loadTrackingSettings(db: Db, { pixels }: TrackingConfig): Promise<TrackingSettings> {
  const values = await selectTrackingSettings(db)
  const valid = trackingKeys
    .map((key) => [key, values[key] ?? pixels[key]] as const)
    .filter(([, value]) => value !== undefined && pixelIdPattern.test(value))
  return Object.fromEntries(valid)
}
