import type { ExtraCodec } from '#server/platform/config/read-ingest.ts'
import type { LadderPlan, Rendition } from './plan-ladder.ts'

/** A codec beside H.264, with its encoder and options. */
export interface ExtraRendition {
  codec: ExtraCodec
  encoder: string
  options: string[]
}

/** Two thirds of the rate of H.264 for the same quality. */
const bitRateShare = 0.65

const x265Params = 'bframes=0:scenecut=0:open-gop=0:keyint=250:log-level=error'
// The first releases are marked experimental.
const aomOptions = [
  '-strict',
  'experimental',
  '-cpu-used',
  '8',
  '-lag-in-frames',
  '0',
  '-crf',
  '36',
  '-g',
  '250',
]

/** Best first. An encoder is listed again if some of its releases need other options. */
const encodersByCodec: Record<ExtraCodec, Omit<ExtraRendition, 'codec'>[]> = {
  hevc: [
    {
      encoder: 'libx265',
      // iPhones play HEVC only under the name hvc1.
      options: [
        '-preset',
        'veryfast',
        '-crf',
        '26',
        '-tag:v',
        'hvc1',
        '-forced-idr',
        '1',
        '-x265-params',
        x265Params,
      ],
    },
  ],
  av1: [
    {
      encoder: 'libsvtav1',
      // Release 1 ignores forced keyframes without this parameter.
      options: ['-preset', '8', '-crf', '36', '-g', '250', '-svtav1-params', 'enable-force-key-frames=1'],
    },
    // Without `realtime`, release 3 adds a keyframe after each forced one and takes ten times as long.
    { encoder: 'libaom-av1', options: ['-usage', 'realtime', ...aomOptions] },
    // The release of 2018 does not know `-usage`.
    { encoder: 'libaom-av1', options: aomOptions },
  ],
}

/** Returns the ways to encode a codec, best first. */
export function extraRenditionsOf(codec: ExtraCodec): ExtraRendition[] {
  return encodersByCodec[codec].map((encoderOptions) => ({ codec, ...encoderOptions }))
}

/**
 * Returns the renditions that are made in the other codec as well: the largest, and the lowest, since players keep the codec they
 * started with and need a rendition for a slow network.
 */
export function extraRenditionIndexes({ renditions }: LadderPlan): number[] {
  return renditions.length > 1 ? [0, renditions.length - 1] : [0]
}

/** Builds the arguments that encode a rendition a second time, in fewer bytes. */
export function extraRenditionArgs(
  { encoder, options }: ExtraRendition,
  { maxRate, buffer }: Rendition,
): string[] {
  const [rate, bufferSize] = [
    `${Math.round(bitRateShare * maxRate)}k`,
    `${Math.round(bitRateShare * buffer)}k`,
  ]
  const limit = encoder === 'libaom-av1' ? ['-b:v', rate] : ['-maxrate', rate, '-bufsize', bufferSize]
  return ['-c:v', encoder, ...options, ...limit]
}
