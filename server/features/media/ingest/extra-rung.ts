import type { ExtraRung } from '#server/platform/run-ffmpeg-version.ts'
import type { LadderPlan, Rung } from './plan-ladder.ts'

/** Two thirds of what H.264 takes for the same picture. */
const share = 0.65

/**
 * Which rungs are made in the other codec as well: the largest, and the lowest, since players that have begun with a codec keep to it and
 * must find something there for a slow network.
 */
export function extraPlaces({ rungs }: LadderPlan): number[] {
  return rungs.length > 1 ? [0, rungs.length - 1] : [0]
}

/** What encodes a rung a second time, in fewer bytes. */
export function extraRungArgs({ codec, encoder }: ExtraRung, { maxRate, buffer }: Rung): string[] {
  const [rate, pool] = [`${Math.round(share * maxRate)}k`, `${Math.round(share * buffer)}k`]
  const common = ['-c:v', encoder]
  if (codec === 'hevc') {
    const params = 'bframes=0:scenecut=0:open-gop=0:keyint=250:log-level=error'
    const quality = ['-preset', 'veryfast', '-crf', '26', '-maxrate', rate, '-bufsize', pool]
    // iPhones play HEVC under this name alone.
    return [...common, ...quality, '-tag:v', 'hvc1', '-forced-idr', '1', '-x265-params', params]
  }
  if (encoder === 'libsvtav1')
    return [...common, '-preset', '8', '-crf', '36', '-maxrate', rate, '-bufsize', pool, '-g', '250']
  // The first releases call it experimental.
  const quick = ['-strict', 'experimental', '-cpu-used', '8', '-lag-in-frames', '0']
  return [...common, ...quick, '-crf', '36', '-b:v', rate, '-g', '250']
}
