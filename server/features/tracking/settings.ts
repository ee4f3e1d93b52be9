import { trackingKeys } from '#contract/tracking.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import type { Db } from '#server/tables.ts'
import { selectTrackingSettings } from './settings-queries.ts'

type TrackingSettings = Partial<Record<(typeof trackingKeys)[number], string>>

/** The format of a pixel id, which becomes part of URLs and scripts. */
const pixelIdPattern = /^[\w-]{1,64}$/

export const isPixelId = (text: string) => pixelIdPattern.test(text)

/** Loads the four tracking settings: the operator's in the database, else the environment's. Invalid ids are ignored. */
export async function loadTrackingSettings(db: Db, { pixels }: TrackingConfig): Promise<TrackingSettings> {
  const values = await selectTrackingSettings(db)
  const valid = trackingKeys
    .map((key) => [key, values[key] ?? pixels[key]] as const)
    .filter(([, value]) => value !== undefined && pixelIdPattern.test(value))
  return Object.fromEntries(valid)
}
