import type { ExtraCodec } from '#server/platform/config/read-ingest.ts'
import type { LadderPlan, Rendition } from './plan-ladder.ts'

/** An encoder of the extra codec besides H.264, with its ffmpeg options. */
export interface ExtraRendition {
  codec: ExtraCodec
  encoder: string
  options: string[]
}

/** Bit rate relative to H.264 of the same quality. */
const bitRateShare = 0.65

const x265Params = 'bframes=0:scenecut=0:open-gop=0:keyint=250:log-level=error'
// The first releases of this encoder are marked as experimental and need `-strict`.
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

/** Encoders by codec, best first. If some releases of an encoder need other options, the encoder is listed twice. */
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
      // Without this parameter, release 1 ignores forced keyframes.
      options: ['-preset', '8', '-crf', '36', '-g', '250', '-svtav1-params', 'enable-force-key-frames=1'],
    },
    // Without `realtime`, release 3 adds a keyframe after each forced keyframe and takes ten times as long.
    { encoder: 'libaom-av1', options: ['-usage', 'realtime', ...aomOptions] },
    // The release of 2018 does not know `-usage`.
    { encoder: 'libaom-av1', options: aomOptions },
  ],
}

/** Returns the encoders of a codec with their options, best first. */
export function extraRenditionsOf(codec: ExtraCodec): ExtraRendition[] {
  return encodersByCodec[codec].map((encoderOptions) => ({ codec, ...encoderOptions }))
}

/**
 * Returns the indexes of the renditions that are also made in the extra codec: the largest and the smallest. A player
 * keeps the codec with which it starts, so it needs a rendition for slow networks in each codec.
 */
export function extraRenditionIndexes({ renditions }: LadderPlan): number[] {
  return renditions.length > 1 ? [0, renditions.length - 1] : [0]
}

/** Builds the arguments that encode a rendition in the extra codec, at a lower bit rate. */
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
