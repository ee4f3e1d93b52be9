import { ffmpeg } from './test-media.ts'

/** Returns ffmpeg arguments that add a filter graph as the next input. */
export const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph]

/** Returns an input that flashes white for `lit` seconds at each whole second, from second 1. */
export const flashingVideoInput = (seconds: number, size = '96x64', lit = 0.06) =>
  lavfi(
    `color=black:size=${size}:rate=25:duration=${seconds},drawbox=color=white:t=fill:enable='gte(t,0.9)*lt(mod(t,1),${lit})'`,
  )

/** Returns an input that beeps at each whole second, from second 1. */
export const beepingAudioInput = (seconds: number, channels = 1) => {
  const beep = '0.5*sin(2*PI*1000*t)*gte(t,0.9)*lt(mod(t,1),0.1)'
  return lavfi(`aevalsrc='${Array.from({ length: channels }, () => beep).join('|')}':s=48000:d=${seconds}`)
}

/** Options that encode quickly, with a key frame each second. */
export const encodeOptions = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25']

/** Brightness (0 to 255) above which a frame counts as white. */
export const brightnessThreshold = 140

/** Returns the brightness of the centre of each frame in a video, from 0 to 255. */
export const frameBrightness = (path: string): number[] => [
  ...ffmpeg('-i', path, '-vf', 'crop=16:16,scale=1:1:flags=area,format=gray', '-f', 'rawvideo', 'pipe:1'),
]

/** Returns the indexes of the frames at which the brightness rises above the threshold. */
export const flashFramesOf = (values: readonly number[]): number[] =>
  values.flatMap((value, at) =>
    value > brightnessThreshold && (values[at - 1] ?? 0) <= brightnessThreshold ? [at] : [],
  )

/** Returns the times in seconds at which the sound becomes loud after a fifth of a second of silence. */
export function beepTimesOf(path: string): number[] {
  const sound = ffmpeg('-i', path, '-ac', '1', '-ar', '8000', '-f', 's16le', 'pipe:1')
  const found: number[] = []
  let silent = 8000
  for (let at = 0; 2 * at < sound.length; at++) {
    const isLoud = Math.abs(sound.readInt16LE(2 * at)) > 2500
    if (isLoud && silent > 1600) found.push(at / 8000)
    silent = isLoud ? 0 : silent + 1
  }
  return found
}
