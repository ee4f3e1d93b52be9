import type { RunLimits } from '#server/platform/config/read-ingest.ts'
import type { Ffmpeg } from '#server/platform/processes/run-ffmpeg-version.ts'
import type { ExtraRendition } from '#server/features/media/ingest/plan/extra-codec.ts'

/** The programs that convert video, their resource limits, and the codecs beside H.264. */
export interface Converter extends Ffmpeg {
  limits: RunLimits
  extraRendition: ExtraRendition | undefined
}

export type Programs = Pick<Converter, 'ffmpegPath' | 'ffprobePath'> &
  Partial<Pick<Converter, 'extraRendition' | 'limits'>>
