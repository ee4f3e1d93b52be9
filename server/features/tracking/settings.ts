import { trackingKeys } from '#contract/tracking.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import type { Db } from '#server/tables.ts'
import { selectTrackingSettings } from './queries.ts'

type TrackingSettings = Partial<Record<(typeof trackingKeys)[number], string>>

/** What a pixel's id may look like: it goes into addresses and scripts. */
const pixelId = /^[\w-]{1,64}$/

export const isPixelId = (text: string) => pixelId.test(text)

/** The four tracking settings: the operator's in the database, else the environment's. One that is not an id is none. */
export async function loadTrackingSettings(db: Db, { pixels }: TrackingConfig): Promise<TrackingSettings> {
  const values = await selectTrackingSettings(db)
  const valid = trackingKeys
    .map((key) => [key, values[key] ?? pixels[key]] as const)
    .filter(([, value]) => value !== undefined && pixelId.test(value))
  return Object.fromEntries(valid)
}
