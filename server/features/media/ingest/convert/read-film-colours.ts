import { queryCapabilities } from '#server/platform/processes/run-ffmpeg-capabilities.ts'
import { inputArgs } from '#server/features/media/ingest/plan/build-ffmpeg-args.ts'
import {
  combineColours,
  hasStaleFormat,
  type FrameColours,
  type SourceColours,
} from '#server/features/media/ingest/plan/source-colours.ts'
import { runLimited, timeLimit } from '#server/features/media/ingest/files/run-ffmpeg.ts'
import type { Programs } from './programs.ts'
import type { SourceMedia } from './probe.ts'

const fields = 'pix_fmt,height,color_range,color_space,color_transfer,color_primaries'

/**
 * Reads the colour labels of all key frames of a transport stream, because they may change where recordings were joined.
 * Other containers have one label for the whole film.
 * @throws UnusableFile if the film changes between colours that can't be converted together
 */
export async function readFilmColours(
  { ffmpegPath, ffprobePath, limits }: Programs,
  input: string,
  { container, streamIndex, colours, duration }: SourceMedia,
  { niceness, signal }: { niceness: number; signal: AbortSignal },
): Promise<SourceColours> {
  if (container !== 'mpegts') return colours
  const labels = new Map<string, FrameColours>()
  // `-show_frames` would also print the side data of the frames, such as the mastering display of HDR10.
  const frames = ['-skip_frame', 'nokey', '-select_streams', String(streamIndex)]
  await runLimited({
    program: ffprobePath,
    args: [
      '-v',
      'error',
      ...frames,
      '-show_entries',
      `frame=${fields}`,
      '-print_format',
      'compact=print_section=0',
      ...inputArgs(input, container),
    ],
    niceness,
    limits,
    signal,
    ...timeLimit(duration),
    onLine: (line) => line.includes('pix_fmt=') && labels.set(line, parseLabel(line)),
  })
  const found = [...labels.values()]
  // Without zscale, the scaler of older ffmpeg builds shows the same colours, that of newer builds slightly others.
  const isStale = found.some(hasStaleFormat) && (await queryCapabilities(ffmpegPath)).filters.has('zscale')
  return combineColours(colours, found, isStale)
}

/** Parses a line such as `pix_fmt=yuv420p|height=720|color_range=tv`. */
function parseLabel(line: string): FrameColours {
  const values: Record<string, string> = Object.fromEntries(line.split('|').map((part) => part.split('=', 2)))
  return { ...values, height: Number(values['height'] ?? 0) }
}
