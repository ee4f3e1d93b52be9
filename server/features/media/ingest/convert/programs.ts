import type { RunLimits } from '#server/platform/config/read-ingest.ts'
import type { Ffmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'
import type { ExtraRendition } from '#server/features/media/ingest/plan/extra-codec.ts'

/**
 * The paths of ffmpeg and ffprobe, their resource limits, and the encoder of the extra codec besides H.264, if one is
 * configured.
 */
export interface Converter extends Ffmpeg {
  limits: RunLimits
  extraRendition: ExtraRendition | undefined
}

export type Programs = Pick<Converter, 'ffmpegPath' | 'ffprobePath'> &
  Partial<Pick<Converter, 'bundled' | 'extraRendition' | 'limits'>>
